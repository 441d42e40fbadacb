import { setTimeout as delay } from 'node:timers/promises';
import type { OrganizationDocument } from '@multi-drm/contracts';
import { atMost } from '@multi-drm/service-kit';
import { LRUCache } from 'lru-cache';
import type { OrganizationStreams } from './organization-streams';
import type { SessionReference } from './slot-store';

type Organization = Pick<OrganizationDocument, 'organizationId' | 'maximumConcurrentStreams'>;

interface OrganizationUsageOptions {
  streams: Pick<OrganizationStreams, 'noteEnvironment' | 'count' | 'includes' | 'claimRecount'>;
  /** Corrects the streams of an organization. */
  recount: (organizationId: string) => Promise<void>;
  /**
   * How long a refusal waits for a recount, in milliseconds. A recount that takes longer, as with hundreds of environments, continues in
   * the background.
   */
  recountPatience?: number;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
  /** Called if a count could not be read or corrected. */
  onFailure: (error: unknown) => void;
}

interface Usage {
  /** Active sessions at the last count. */
  counted: number;
  /** Sessions that this process has started since. */
  started: number;
  readAt: number;
}

/** A count older than this, in milliseconds, is read again. */
const freshFor = 1_000;

/**
 * Decides whether organizations have as many active sessions as their plan allows. Their streams are counted about once per second
 * while sessions start. Sessions that this process has started since are added, and if these reach the limit, the streams are
 * counted again. Together, processes may therefore exceed the limit by what they start within a second. A recount corrects the
 * streams once per minute. Organizations without a limit are never counted.
 */
export class OrganizationUsage {
  private readonly usages = new LRUCache<string, Usage>(atMost(10_000));
  private readonly reading = new Map<string, Promise<Usage>>();
  private readonly now: () => number;

  constructor(private readonly options: OrganizationUsageOptions) {
    this.now = options.now ?? performance.now.bind(performance);
  }

  /** Returns whether another session in this environment would exceed the limit. */
  async isFull(
    { organizationId, maximumConcurrentStreams: limit }: Organization,
    environmentId: string,
  ): Promise<boolean> {
    if (limit === null) return false;
    const { streams, onFailure } = this.options;
    // Sent first, so that a recount finds the session even if this process dies.
    streams.noteEnvironment(organizationId, environmentId).catch(onFailure);
    const known = this.usages.get(organizationId);
    const isFresh = known !== undefined && this.now() - known.readAt < freshFor;
    if (isFresh && known.counted >= limit) return true;
    if (known === undefined || known.counted + known.started >= limit) {
      // The added sessions alone are no reason to refuse: other streams may have ended or been replaced since. So count again.
      const { counted, started } = await this.read(organizationId, limit);
      return counted + started >= limit;
    }
    // Below the limit, the last count is accurate enough.
    if (!isFresh) this.read(organizationId, limit).catch(onFailure);
    return false;
  }

  /** Like `isFull`, for a session that Redis has lost. If its stream was not lost, it has been counted. */
  async isFullFor(organization: Organization, session: SessionReference): Promise<boolean> {
    if (!(await this.isFull(organization, session.environmentId))) return false;
    return !(await this.options.streams.includes(organization.organizationId, session));
  }

  /** Adds a session that has just started. */
  countOne({ organizationId }: Organization): void {
    const known = this.usages.get(organizationId);
    if (known !== undefined) known.started += 1;
  }

  private read(organizationId: string, limit: number): Promise<Usage> {
    const pending = this.reading.get(organizationId);
    if (pending !== undefined) return pending;
    const reading = this.count(organizationId, limit).finally(() => this.reading.delete(organizationId));
    this.reading.set(organizationId, reading);
    return reading;
  }

  private async count(organizationId: string, limit: number): Promise<Usage> {
    const { streams, recountPatience = 500, onFailure } = this.options;
    // A full Redis does not accept the claim; the streams are counted anyway.
    const claim = streams.claimRecount(organizationId).catch((error: unknown) => {
      onFailure(error);
      return false;
    });
    const usage = await this.readCount(organizationId);
    if (!(await claim)) return usage;
    const recount = this.options.recount(organizationId).catch(onFailure);
    if (usage.counted + usage.started < limit) return usage;
    // A refusal waits for the recount: a process that died may have left streams of ended sessions.
    const patience = new AbortController();
    const end = delay(recountPatience, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([recount, end]);
    patience.abort();
    return this.readCount(organizationId);
  }

  private async readCount(organizationId: string): Promise<Usage> {
    const readAt = this.now();
    const startedBefore = this.usages.get(organizationId)?.started ?? 0;
    const counted = await this.options.streams.count(organizationId);
    // Sessions started during the count may or may not be included, so they stay added until the next count.
    const started = Math.max(0, (this.usages.get(organizationId)?.started ?? 0) - startedBefore);
    const usage = { counted, started, readAt };
    this.usages.set(organizationId, usage);
    return usage;
  }
}
