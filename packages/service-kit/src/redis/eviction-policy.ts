import type { Redis } from 'ioredis';
import type { Logger } from '../logger';
import { primariesOf, type RedisClient } from './primaries';

/**
 * Logs a warning for each server whose `maxmemory-policy` is not `noeviction` when Redis first becomes ready: any other
 * policy silently drops published documents and reservations once memory is full.
 */
export function warnUnlessNoEviction(client: RedisClient, logger: Logger): void {
  client.once('ready', () => {
    for (const primary of primariesOf(client)) void check(primary, logger);
  });
}

async function check(primary: Redis, logger: Logger): Promise<void> {
  try {
    const reply: unknown = await primary.config('GET', 'maxmemory-policy');
    const policy: unknown = Array.isArray(reply) ? reply[1] : undefined;
    if (policy !== 'noeviction') logger.warn('Redis may drop data: set maxmemory-policy to noeviction', { policy });
  } catch (error) {
    // Some proxies and hosted services refuse CONFIG.
    logger.warn('could not check the maxmemory-policy of Redis, which must be noeviction', { error });
  }
}
