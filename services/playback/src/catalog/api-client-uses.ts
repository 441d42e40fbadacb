import { apiClientUse, apiClientUsesKey } from '@multi-drm/contracts';
import { atMost, type Logger } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

const recordInterval = 60_000;
const maximumUses = 20_000;

// Uses the clock of Redis, which all processes share. `GT` keeps a stored time from moving backwards.
const noteUse = `#!lua
local time = redis.call('TIME')
return redis.call('ZADD', KEYS[1], 'GT', time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])`;

/** Records in Redis, for the control plane, when access keys were last accepted: at most once per minute for each key. */
export class ApiClientUses {
  private readonly recorded: LRUCache<string, true>;

  constructor(
    private readonly redis: Redis | Cluster,
    private readonly logger: Logger,
    now: () => number = performance.now.bind(performance),
  ) {
    this.recorded = new LRUCache({ ...atMost(maximumUses), ttl: recordInterval, ttlResolution: 0, perf: { now } });
  }

  /** Records a use in the background. Requests do not wait for it or fail because of it. */
  note(clientId: string, accessKeyHash: string): void {
    const use = apiClientUse(clientId, accessKeyHash);
    if (this.recorded.has(use)) return;
    this.recorded.set(use, true);
    this.redis.eval(noteUse, 1, apiClientUsesKey, use).catch((error: unknown) => {
      this.logger.debug('could not record the use of an API client', { clientId, error });
    });
  }
}
