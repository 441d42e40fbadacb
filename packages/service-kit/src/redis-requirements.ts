import { type Redis, ReplyError } from 'ioredis';
import type { Logger } from './logger';
import { SettingsError } from './settings';

/**
 * Rejects with a `SettingsError` if the services cannot use the server: a node of a Redis Cluster, which serves only
 * part of the keys, so that part of all requests would fail; or a version before Redis 7, which does not support script
 * flags. An unreachable server is checked when it connects, and again after each reconnection. Nobody handles a
 * rejection at that time, so it ends the process.
 */
export async function requireUsableRedis(client: Redis, logger: Logger): Promise<void> {
  if (await isReached(client)) await requireAll(client, logger);
  client.on('ready', () => void requireAll(client, logger));
}

/** Resolves with the result of the first connection attempt. */
async function isReached(client: Redis): Promise<boolean> {
  if (client.status === 'ready') return true;
  return new Promise((resolve) => {
    client.once('ready', () => resolve(true));
    client.once('reconnecting', () => resolve(false));
  });
}

async function requireAll(client: Redis, logger: Logger): Promise<void> {
  const found = await Promise.all([clusterError(client, logger), versionError(client, logger)]);
  const errors = found.filter((error) => error !== undefined);
  if (errors.length > 0) throw new SettingsError(errors);
}

async function clusterError(client: Redis, logger: Logger): Promise<string | undefined> {
  const info = await ask(client, () => client.info('cluster'));
  // Some hosted Redis services refuse INFO.
  if (info instanceof ReplyError) logger.debug('could not read whether Redis is a cluster', { error: info });
  return /^cluster_enabled:1\b/m.test(String(info))
    ? 'REDIS_URL: is a node of a Redis Cluster, which is not supported; use a Redis without cluster mode'
    : undefined;
}

/**
 * Runs a script with flags instead of reading the version: hosted and compatible servers report versions differently.
 */
async function versionError(client: Redis, logger: Logger): Promise<string | undefined> {
  const reply = await ask(client, () => client.eval('#!lua flags=no-writes\nreturn 1', 0));
  if (!(reply instanceof Error)) return undefined;
  logger.debug('Redis does not run a script with flags', { error: reply });
  return /\bcompiling script\b/.test(reply.message)
    ? 'REDIS_URL: is too old; Redis 7 or later, or Valkey, is required'
    : undefined;
}

/** Returns the reply, or the server's error; undefined if the connection breaks. */
async function ask(client: Redis, command: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      return await command();
    } catch (error) {
      if (error instanceof ReplyError) return error;
      // Retry after a late reply, unless the connection is gone.
      if (client.status !== 'ready') return undefined;
    }
  }
}
