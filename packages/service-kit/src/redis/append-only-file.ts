import type { Logger } from '../logger';
import { warnUnlessConfigured } from './configuration-check';
import type { RedisClient } from './primaries';

/**
 * When Redis first becomes ready, logs a warning for each server without an append-only file. After a restart, such a server has lost all
 * sessions, or has an older state.
 */
export function warnUnlessAppendOnly(client: RedisClient, logger: Logger): void {
  warnUnlessConfigured(client, logger, {
    name: 'appendonly',
    value: 'yes',
    warning: 'Redis loses data when it restarts: set appendonly to yes',
    unchecked: 'could not check appendonly of Redis, which must be yes',
  });
}
