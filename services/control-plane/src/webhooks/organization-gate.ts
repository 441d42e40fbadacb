import { FairGate } from '@multi-drm/service-kit';

/** Messages under way at the same time, of all organizations and of one of them. */
const maximumActive = 512;
const maximumActiveEach = 64;

const patienceMilliseconds = 60_000;

/** Limits the messages under way, so that endpoints that do not answer leave places for the endpoints of others. */
export class OrganizationGate {
  private readonly gate = new FairGate({
    maximumActive,
    maximumActiveEach,
    maximumWaitingEach: Number.POSITIVE_INFINITY,
    waitMilliseconds: patienceMilliseconds,
  });

  /** Waits for a place. Resolves to a function that gives it back, to be called once; undefined: there was none for a minute. */
  async enter(organizationId: string): Promise<(() => void) | undefined> {
    const entered = await this.gate.enter(organizationId, () => undefined);
    return typeof entered === 'string' ? undefined : entered;
  }
}
