import type { OrganizationDocument } from '@multi-drm/contracts';
import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { SlotStore } from './slot-store';

type Organization = Pick<OrganizationDocument, 'organizationId' | 'maximumConcurrentStreams'>;

interface OrganizationUsageOptions {
  client: Redis | Cluster;
  slots: Pick<SlotStore, 'countEnvironment'>;
  /** Milliseconds since any one moment. */
  now?: () => number;
  /** Told why a count could not be read. */
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

/** How long the environments of an organization that starts no sessions are remembered. */
const environmentsLifetimeSeconds = 7 * 86_400;

const environmentsKey = (organizationId: string) => `organization-environments:{${organizationId}}`;

/**
 * Whether organizations have as many live sessions as their plan allows. The sessions of all environments are counted
 * about once a second while sessions start; what this process has started since is added, and where that alone reaches the
 * limit they are counted anew. So processes together may overshoot the limit by what they start within a second.
 * Organizations without a limit are never counted.
 */
export class OrganizationUsage {
  private readonly usages = new LRUCache<string, Usage>({ max: 10_000 });
  private readonly reading = new Map<string, Promise<Usage>>();
  /** Organization → environments in which this process was asked to start sessions. */
  private readonly environments = new LRUCache<string, Set<string>>({ max: 10_000 });
  private readonly now: () => number;

  constructor(private readonly options: OrganizationUsageOptions) {
    this.now = options.now ?? performance.now.bind(performance);
  }

  /** Whether a session in this environment would be one too many. */
  async isFull({ organizationId, maximumConcurrentStreams }: Organization, environmentId: string): Promise<boolean> {
    if (maximumConcurrentStreams === null) return false;
    this.noteEnvironment(organizationId, environmentId);
    const known = this.usages.get(organizationId);
    const isFresh = known !== undefined && this.now() - known.readAt < freshFor;
    if (isFresh && known.counted >= maximumConcurrentStreams) return true;
    if (known === undefined || known.counted + known.started >= maximumConcurrentStreams) {
      // Nobody is refused for what was only added here: streams may have ended, or taken another's place, since.
      const { counted, started } = await this.read(organizationId);
      return counted + started >= maximumConcurrentStreams;
    }
    // In between the last count is near enough.
    if (!isFresh) this.read(organizationId).catch(this.options.onFailure);
    return false;
  }

  /** Adds a session that has just started to what is known. */
  countOne({ organizationId }: Organization): void {
    const known = this.usages.get(organizationId);
    if (known !== undefined) known.started += 1;
  }

  /** Tells the other processes of an environment that is new to this one, whether a count is due or not. */
  private noteEnvironment(organizationId: string, environmentId: string): void {
    const environments = this.environments.get(organizationId) ?? new Set();
    this.environments.set(organizationId, environments);
    if (environments.has(environmentId)) return;
    environments.add(environmentId);
    // Where it fails, the next count tells them.
    this.options.client.sadd(environmentsKey(organizationId), environmentId).catch(this.options.onFailure);
  }

  private read(organizationId: string): Promise<Usage> {
    const underWay = this.reading.get(organizationId);
    if (underWay !== undefined) return underWay;
    const reading = this.count(organizationId).finally(() => this.reading.delete(organizationId));
    this.reading.set(organizationId, reading);
    return reading;
  }

  private async count(organizationId: string): Promise<Usage> {
    const { client, slots, onFailure } = this.options;
    const readAt = this.now();
    const startedBefore = this.usages.get(organizationId)?.started ?? 0;
    // Playback knows the environments in which sessions were started, and no others have any.
    const key = environmentsKey(organizationId);
    const own = this.environments.get(organizationId) ?? new Set();
    const [known] = await Promise.all([
      client.smembers(key),
      // A full Redis refuses it, and can be counted nonetheless.
      client.sadd(key, ...own).catch(onFailure),
      client.expire(key, environmentsLifetimeSeconds),
    ]);
    const counts = await Promise.all([...new Set([...known, ...own])].map((id) => slots.countEnvironment(id)));
    // What was started while this was read may be counted or not: it stays added, until the next count.
    const started = Math.max(0, (this.usages.get(organizationId)?.started ?? 0) - startedBefore);
    const usage = { counted: counts.reduce((sum, count) => sum + count, 0), started, readAt };
    this.usages.set(organizationId, usage);
    return usage;
  }
}
