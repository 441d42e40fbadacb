import { isRedisFull, isRedisUnavailable, type RedisClient } from '@multi-drm/service-kit';
import { RedisFull, RedisUnavailable } from './document-writer';

/** Runs commands. Rejects with `RedisUnavailable`, with `RedisFull`, or with Redis' own error. */
export async function askRedis<Reply>(redis: RedisClient, command: () => Promise<Reply>): Promise<Reply> {
  try {
    return await command();
  } catch (error) {
    if (isRedisFull(error)) throw new RedisFull();
    throw isRedisUnavailable(error) || redis.status !== 'ready' ? new RedisUnavailable(error) : error;
  }
}
