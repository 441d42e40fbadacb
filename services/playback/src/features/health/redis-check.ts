import { type Metrics, type ReadinessCheck, readRedisFull } from '@multi-drm/service-kit';
import type { Redis } from 'ioredis';
import type { RereadingCatalog } from '../../catalog/catalog';
import type { RedisClock } from '../../slots/redis-clock';

/** Never there. */
const key = 'readiness';

/**
 * Redis takes reads and writes: a replica, or one that lost its disk or its replicas, answers PING and refuses every write.
 * DEL is a write that a full Redis takes as well: there sessions that live can still fetch licenses. The check also keeps
 * the clock right while no session's reply does.
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

/** Tells Prometheus whether Redis is full: asked whenever it asks. */
export function addRedisGauges(metrics: Pick<Metrics, 'addGauges'>, redis: Redis): void {
  const help = 'Whether Redis holds as much as its maxmemory, so that no new session starts: 1 or 0.';
  metrics.addGauges({ redis_full: help }, async () => ({ redis_full: (await readRedisFull(redis)) ? 1 : 0 }));
}

/** At least one project can be served. With nothing published every call would be answered 503. */
export function publishesSomething(catalog: Pick<RereadingCatalog, 'somethingIsPublished'>): ReadinessCheck {
  return async () => {
    if (!(await catalog.somethingIsPublished())) throw new Error('nothing is published');
  };
}
