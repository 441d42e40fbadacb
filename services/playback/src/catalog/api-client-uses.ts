import { apiClientUsesKey } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

const toldInterval = 60_000;
const maximumClients = 20_000;

// By the clock of Redis, the same for all processes; `GT` keeps a time from going backwards.
const noteUse = `#!lua
local time = redis.call('TIME')
return redis.call('ZADD', KEYS[1], 'GT', time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])`;

/** Tells the control plane, through Redis, when API clients were last let in: at most once a minute for each client. */
export class ApiClientUses {
  private readonly told: LRUCache<string, true>;

  constructor(
    private readonly redis: Redis | Cluster,
    private readonly logger: Logger,
    now: () => number = performance.now.bind(performance),
  ) {
    this.told = new LRUCache({ max: maximumClients, ttl: toldInterval, ttlResolution: 0, perf: { now } });
  }

  /** Notes a use. Nobody waits for it, and nobody's request fails with it. */
  note(clientId: string): void {
    if (this.told.has(clientId)) return;
    this.told.set(clientId, true);
    this.redis.eval(noteUse, 1, apiClientUsesKey, clientId).catch((error: unknown) => {
      this.logger.debug('the use of an API client is not noted', { clientId, error });
    });
  }
}
