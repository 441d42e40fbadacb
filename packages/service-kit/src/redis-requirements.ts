import { type Redis, ReplyError } from 'ioredis';
import type { Logger } from './logger';
import { SettingsError } from './settings';

/**
 * Rejects with a `SettingsError` where the server is none that the services can use: a node of a Redis Cluster, which serves
 * a part of the keys, so that a part of all requests would fail; or one older than Redis 7, which knows no flags of scripts.
 * A server that is away is asked when it is back, and again after each reconnection; the rejection, which nobody handles
 * then, ends the process.
 */
export async function requireUsableRedis(client: Redis, logger: Logger): Promise<void> {
  if (await isReached(client)) await requireAll(client, logger);
  client.on('ready', () => void requireAll(client, logger));
}

/** Resolves with the first outcome of connecting. */
async function isReached(client: Redis): Promise<boolean> {
  if (client.status === 'ready') return true;
  return new Promise((resolve) => {
    client.once('ready', () => resolve(true));
    client.once('reconnecting', () => resolve(false));
  });
}

async function requireAll(client: Redis, logger: Logger): Promise<void> {
  const faults = await Promise.all([faultOfCluster(client, logger), faultOfVersion(client, logger)]);
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw new SettingsError(found);
}

async function faultOfCluster(client: Redis, logger: Logger): Promise<string | undefined> {
  const info = await ask(client, () => client.info('cluster'));
  // Hosted ones refuse INFO.
  if (info instanceof ReplyError) logger.debug('whether Redis is a cluster cannot be read', { error: info });
  return /^cluster_enabled:1\b/m.test(String(info))
    ? 'REDIS_URL: is a node of a Redis Cluster, which is not supported; name a Redis that has cluster mode off'
    : undefined;
}

/** Runs a script with flags instead of reading the version: what hosted and compatible servers say of theirs differs. */
async function faultOfVersion(client: Redis, logger: Logger): Promise<string | undefined> {
  const reply = await ask(client, () => client.eval('#!lua flags=no-writes\nreturn 1', 0));
  if (!(reply instanceof Error)) return undefined;
  logger.debug('Redis does not run a script with flags', { error: reply });
  return /\bcompiling script\b/.test(reply.message)
    ? 'REDIS_URL: is a Redis that is too old: Redis 7 or newer, or Valkey, is needed'
    : undefined;
}

/** The reply, or the error that the server answers; undefined where the connection breaks. */
async function ask(client: Redis, command: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      return await command();
    } catch (error) {
      if (error instanceof ReplyError) return error;
      // An answer that was late is asked for again, on a connection that is gone it cannot be.
      if (client.status !== 'ready') return undefined;
    }
  }
}
