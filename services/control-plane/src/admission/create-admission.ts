import { FairGate, RateLimiter, RefusedCredentials, Turns } from '@multi-drm/service-kit';
import type { Settings } from '../settings';
import { Admission } from './admission';

/** Calls under way at once, of all: twice as many as there are connections to the database. */
const maximumActive = 20;

/** Calls of one organization that wait. */
const maximumWaitingEach = 100;
const waitMilliseconds = 5_000;

/** Admission by the settings. It counts in memory: each process by itself, and so also without Redis. */
export function createAdmission(settings: Settings, now: () => Date): Admission {
  const limiter = (limit: number) => new RateLimiter({ limit, now: () => now().getTime() });
  return new Admission({
    turns: new Turns(
      new FairGate({
        maximumActive,
        maximumActiveEach: settings.ORGANIZATION_REQUESTS_AT_ONCE,
        maximumWaitingEach,
        waitMilliseconds,
      }),
    ),
    organizationCalls: limiter(settings.ORGANIZATION_REQUESTS_PER_MINUTE),
    refusedCredentials: new RefusedCredentials({
      perCredential: limiter(settings.REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE),
      perAddress: limiter(settings.UNAUTHENTICATED_REQUESTS_PER_MINUTE),
    }),
  });
}
