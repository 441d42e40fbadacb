import { type Metrics, type ReadinessCheck, readRedisFull } from '@multi-drm/service-kit';
import type { Redis } from 'ioredis';
import type { RereadingCatalog } from '../../catalog/catalog';
import type { RedisClock } from '../../slots/redis-clock';

/** This key never exists. */
const key = 'readiness';

/**
 * Checks that Redis accepts reads and writes: a replica, or a primary that lost its disk or its replicas, answers PING but refuses
 * every write. DEL is a write that a full Redis accepts too; active sessions can still fetch licenses then. The check also
 * synchronizes the clock, for times when no session does.
 */
export function takesReadsAndWrites(redis: Redis, clock: RedisClock): ReadinessCheck {
  return async () => {
    const [isFull] = await Promise.all([
      readRedisFull(redis),
      redis.get(key),
      redis.del(key),
      clock.synchronize(redis),
    ]);
    return isFull ? 'full' : 'up';
  };
}

/** Adds a gauge that shows whether Redis is full, read at each scrape. */
export function addRedisGauges(metrics: Pick<Metrics, 'addGauges'>, redis: Redis): void {
  const help = 'Whether Redis has reached its maxmemory, so that no new session can start: 1 or 0.';
  metrics.addGauges({ redis_full: help }, async () => ({ redis_full: (await readRedisFull(redis)) ? 1 : 0 }));
}

/** Checks that at least one project is published. Otherwise every call would return 503. */
export function publishesSomething(catalog: Pick<RereadingCatalog, 'somethingIsPublished'>): ReadinessCheck {
  return async () => {
    if (!(await catalog.somethingIsPublished())) throw new Error('nothing is published');
  };
}
