import type { ReadinessCheck } from '@multi-drm/service-kit';
import type { Redis } from 'ioredis';
import type { RedisClock } from '../../slots/redis-clock';

/** Never there. */
const key = 'readiness';

/**
 * Redis takes reads and writes: a replica, or one that lost its disk or its replicas, answers PING and refuses every write.
 * DEL is a write that a full Redis takes as well: there sessions that live can still fetch licenses. The check also keeps
 * the clock right while no session's reply does.
 */
export function takesReadsAndWrites(redis: Redis, clock: RedisClock): ReadinessCheck {
  return () => Promise.all([redis.get(key), redis.del(key), clock.synchronize(redis)]);
}
