import { answersOf, type Metrics, type ReadinessCheck, type RedisClient, readRedisFull } from '@multi-drm/service-kit';
import type { RedisClock } from '@multi-drm/slots';
import type { Redis } from 'ioredis';
import type { RereadingCatalog } from './catalog';

/**
 * Checks that Redis accepts reads and writes: a replica, or a primary that lost its disk or its replicas, answers PING but refuses every
 * write. In a cluster, one primary is enough: if others are missing, only their viewers cannot be served. The check also synchronizes the
 * clock, which otherwise only calls on sessions do.
 */
export function takesReadsAndWrites(redis: RedisClient, clock: RedisClock): ReadinessCheck {
  return async () => {
    const [states] = await Promise.all([answersOf(redis, stateOf), clock.synchronize(redis)]);
    return states.includes('full') ? 'full' : 'up';
  };
}

/** Redis refuses this script in every state in which it refuses all writes. A full Redis runs it. */
const mayWrite = '#!lua flags=allow-oom\nreturn 1';

async function stateOf(primary: Redis): Promise<'full' | 'up'> {
  const [isFull] = await Promise.all([readRedisFull(primary), primary.eval(mayWrite, 0)]);
  return isFull ? 'full' : 'up';
}

/** Adds a gauge that shows whether Redis is full, read at each scrape. */
export function addRedisGauges(metrics: Pick<Metrics, 'addGauges'>, redis: RedisClient): void {
  const help = 'Whether Redis has reached its maxmemory, so that no new session can start: 1 or 0.';
  metrics.addGauges({ multi_drm_redis_full: help }, async () => ({
    multi_drm_redis_full: (await readRedisFull(redis)) ? 1 : 0,
  }));
}

/** Checks that at least one project is published. Otherwise every call would return 503. */
export function publishesSomething(catalog: Pick<RereadingCatalog, 'somethingIsPublished'>): ReadinessCheck {
  return async () => {
    if (!(await catalog.somethingIsPublished())) throw new Error('nothing is published: start the control plane');
  };
}
