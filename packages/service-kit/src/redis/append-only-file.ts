import type { Logger } from '../logger';
import { warnUnlessConfigured } from './configuration-check';
import type { RedisClient } from './primaries';

/**
 * Logs a warning for each server without an append-only file when Redis first becomes ready: a restart ends every session, or brings an
 * older state back.
 */
export function warnUnlessAppendOnly(client: RedisClient, logger: Logger): void {
  warnUnlessConfigured(client, logger, {
    name: 'appendonly',
    value: 'yes',
    warning: 'Redis loses data when it restarts: set appendonly to yes',
    unchecked: 'could not check appendonly of Redis, which must be yes',
  });
}
