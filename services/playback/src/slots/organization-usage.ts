import { setTimeout as delay } from 'node:timers/promises';
import type { OrganizationDocument } from '@multi-drm/contracts';
import { LRUCache } from 'lru-cache';
import type { OrganizationStreams } from './organization-streams';

type Organization = Pick<OrganizationDocument, 'organizationId' | 'maximumConcurrentStreams'>;

interface OrganizationUsageOptions {
  streams: Pick<OrganizationStreams, 'noteEnvironment' | 'count' | 'claimRecount'>;
  /** Puts the streams of an organization right. */
  recount: (organizationId: string) => Promise<void>;
  /** How long, in milliseconds, a refusal waits for a recount: that of hundreds of environments goes on behind it. */
  recountPatience?: number;
  /** Milliseconds since any one moment. */
  now?: () => number;
  /** Told why a count could not be read, or not be put right. */
  onFailure: (error: unknown) => void;
}

interface Usage {
  /** Live sessions as they were last counted. */
  counted: number;
  /** What this process has started since. */
  started: number;
  readAt: number;
}

/** A count older than this, in milliseconds, is read again. */
const freshFor = 1_000;

/**
 * Whether organizations have as many live sessions as their plan allows. Their streams are counted about once a second
 * while sessions start; what this process has started since is added, and where that alone reaches the limit they are counted
 * anew. So processes together may overshoot the limit by what they start within a second. Once a minute the streams
 * are put right. Organizations without a limit are never counted.
 */
export class OrganizationUsage {
  private readonly usages = new LRUCache<string, Usage>({ max: 10_000 });
  private readonly reading = new Map<string, Promise<Usage>>();
  private readonly now: () => number;

  constructor(private readonly options: OrganizationUsageOptions) {
    this.now = options.now ?? performance.now.bind(performance);
  }

  /** Whether a session in this environment would be one too many. */
  async isFull(
    { organizationId, maximumConcurrentStreams: limit }: Organization,
    environmentId: string,
  ): Promise<boolean> {
    if (limit === null) return false;
    const { streams, onFailure } = this.options;
    // Sent before all that follows: a recount finds the session whatever becomes of this process.
    streams.noteEnvironment(organizationId, environmentId).catch(onFailure);
    const known = this.usages.get(organizationId);
    const isFresh = known !== undefined && this.now() - known.readAt < freshFor;
    if (isFresh && known.counted >= limit) return true;
    if (known === undefined || known.counted + known.started >= limit) {
      // Nobody is refused for what was only added here: streams may have ended, or taken another's place, since.
      const { counted, started } = await this.read(organizationId, limit);
      return counted + started >= limit;
    }
    // In between the last count is near enough.
    if (!isFresh) this.read(organizationId, limit).catch(onFailure);
    return false;
  }

  /** Adds a session that has just started to what is known. */
  countOne({ organizationId }: Organization): void {
    const known = this.usages.get(organizationId);
    if (known !== undefined) known.started += 1;
  }

  private read(organizationId: string, limit: number): Promise<Usage> {
    const underWay = this.reading.get(organizationId);
    if (underWay !== undefined) return underWay;
    const reading = this.count(organizationId, limit).finally(() => this.reading.delete(organizationId));
    this.reading.set(organizationId, reading);
    return reading;
  }

  private async count(organizationId: string, limit: number): Promise<Usage> {
    const { streams, recountPatience = 500, onFailure } = this.options;
    // A full Redis takes no claim, and is counted all the same.
    const claim = streams.claimRecount(organizationId).catch((error: unknown) => {
      onFailure(error);
      return false;
    });
    const usage = await this.readCount(organizationId);
    if (!(await claim)) return usage;
    const recount = this.options.recount(organizationId).catch(onFailure);
    if (usage.counted + usage.started < limit) return usage;
    // Nobody is refused for streams of which a process that died has not written that they ended.
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
    // What was started while this was read may be counted or not: it stays added, until the next count.
    const started = Math.max(0, (this.usages.get(organizationId)?.started ?? 0) - startedBefore);
    const usage = { counted, started, readAt };
    this.usages.set(organizationId, usage);
    return usage;
  }
}
