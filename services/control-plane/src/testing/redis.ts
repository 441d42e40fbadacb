import { once } from 'node:events';
import { createRedisClient, parseSettings, primariesOf, type RedisClient, redisSettings } from '@multi-drm/service-kit';
import { sharedRedisSettings } from '@multi-drm/test-kit';
import { recordingLogger } from './recording-logger';

/** Connects as the service does, to the Redis that suites share, unless there are other settings. */
export async function connectToRedis(settings = sharedRedisSettings()): Promise<RedisClient> {
  const { redis: servers } = parseSettings(redisSettings, settings);
  // The test may share its event loop with a service.
  const redis = createRedisClient({ servers, name: 'test', logger: recordingLogger([]), commandTimeout: 10_000 });
  await once(redis, 'ready');
  return redis;
}

/** Removes everything from all servers. */
export async function emptyRedis(redis: RedisClient): Promise<void> {
  await Promise.all(primariesOf(redis).map((primary) => primary.flushall()));
}
