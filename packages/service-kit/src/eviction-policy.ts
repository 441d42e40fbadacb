import type { Redis } from 'ioredis';
import type { Logger } from './logger';

/**
 * Logs a warning when Redis first becomes ready and its `maxmemory-policy` is not `noeviction`: any other policy
 * silently drops published documents and reservations once memory is full.
 */
export function warnUnlessNoEviction(client: Redis, logger: Logger): void {
  client.once('ready', async () => {
    try {
      const reply: unknown = await client.config('GET', 'maxmemory-policy');
      const policy: unknown = Array.isArray(reply) ? reply[1] : undefined;
      if (policy !== 'noeviction') logger.warn('Redis may drop data: set maxmemory-policy to noeviction', { policy });
    } catch (error) {
      logger.debug('could not read the maxmemory-policy of Redis', { error }); // some hosted Redis services refuse CONFIG
    }
  });
}
