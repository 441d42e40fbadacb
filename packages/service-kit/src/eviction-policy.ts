import type { Redis } from 'ioredis';
import type { Logger } from './logger';

/**
 * Warns, once Redis is in reach for the first time, unless it keeps everything when its memory is full. Any other policy
 * would silently drop published documents and reservations.
 */
export function warnUnlessNoEviction(client: Redis, logger: Logger): void {
  client.once('ready', async () => {
    try {
      const reply: unknown = await client.config('GET', 'maxmemory-policy');
      const policy: unknown = Array.isArray(reply) ? reply[1] : undefined;
      if (policy !== 'noeviction') logger.warn('Redis may drop data: set maxmemory-policy to noeviction', { policy });
    } catch (error) {
      logger.debug('the maxmemory-policy of Redis cannot be read', { error }); // hosted ones refuse CONFIG
    }
  });
}
