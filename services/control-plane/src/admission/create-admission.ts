import { FairGate, RateLimiter, RefusedCredentials, Turns } from '@multi-drm/service-kit';
import { Admission } from './admission';

/** Requests that run at the same time, over all callers: twice the number of database connections. */
const maximumActive = 20;

/** Waiting requests of one organization. */
const maximumWaitingEach = 100;
const waitMilliseconds = 10_000;

/** The settings of admission. */
interface AdmissionSettings {
  ORGANIZATION_REQUESTS_PER_MINUTE: number;
  ORGANIZATION_REQUESTS_AT_ONCE: number;
  UNAUTHENTICATED_REQUESTS_PER_MINUTE: number;
  REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: number;
}

/** Creates admission from the settings. It counts in the memory of each process, so it does not depend on Redis. */
export function createAdmission(settings: AdmissionSettings, now: () => Date): Admission {
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
