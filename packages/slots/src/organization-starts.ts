import type { OrganizationDocument } from '@multi-drm/contracts';
import type { RateLimiter } from '@multi-drm/service-kit';

type Organization = Pick<OrganizationDocument, 'organizationId' | 'maximumConcurrentStreams'>;

/** How many sessions may start in a minute for each stream of a plan. One viewer starts many when switching channels. */
const startsPerStream = 10;

/** How many may start in a minute even with the smallest plan. */
const leastStarts = 600;

interface OrganizationStartsOptions {
  /** Counts by organization. It has no limit of its own. */
  limiter: Pick<RateLimiter, 'take' | 'wait'>;
  /** Starts in a minute of an organization whose plan does not limit its streams; undefined for any number. */
  withoutStreamLimit: number | undefined;
  /** Called for each session that starts, whatever the limit. */
  onStarted?: (() => void) | undefined;
}

/**
 * Limits the sessions that an organization starts in a minute. The id of each session is remembered for a day, so sessions that are started
 * and ended quickly would fill Redis. Renewals, releases and repeats do not count. Each process counts its own starts, so that a create
 * needs no additional command; three processes together accept three times the limit.
 */
export class OrganizationStarts {
  constructor(private readonly options: OrganizationStartsOptions) {}

  /** Returns the seconds until the organization may start another session; undefined if it may now. */
  wait(organization: Organization): number | undefined {
    const limit = this.limitOf(organization);
    if (limit === undefined) return undefined;
    return this.options.limiter.wait(organization.organizationId, limit);
  }

  /** Counts a session that has just started. */
  countOne(organization: Organization): void {
    const limit = this.limitOf(organization);
    if (limit !== undefined) this.options.limiter.take(organization.organizationId, limit);
    this.options.onStarted?.();
  }

  private limitOf({ maximumConcurrentStreams: streams }: Organization): number | undefined {
    return streams === null ? this.options.withoutStreamLimit : Math.max(leastStarts, startsPerStream * streams);
  }
}
