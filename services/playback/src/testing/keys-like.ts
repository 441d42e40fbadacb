import { primariesOf, type RedisClient } from '@multi-drm/service-kit';

/** The keys of all servers that match a pattern, sorted. */
export async function keysLike(redis: RedisClient, pattern: string): Promise<string[]> {
  return (await Promise.all(primariesOf(redis).map((primary) => primary.keys(pattern)))).flat().sort();
}
