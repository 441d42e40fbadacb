import type { Logger } from '../logger';
import { warnUnlessConfigured } from './configuration-check';
import type { RedisClient } from './primaries';

/**
 * When Redis first becomes ready, logs a warning for each server whose `maxmemory-policy` is not `noeviction`. With any other policy, a
 * full Redis silently drops published documents and reservations.
 */
export function warnUnlessNoEviction(client: RedisClient, logger: Logger): void {
  warnUnlessConfigured(client, logger, {
    name: 'maxmemory-policy',
    value: 'noeviction',
    warning: 'Redis may drop data: set maxmemory-policy to noeviction',
    unchecked: 'could not check the maxmemory-policy of Redis, which must be noeviction',
  });
}
