import { Cluster, type Redis, ReplyError } from 'ioredis';
import type { Logger } from '../logger';
import { SettingsError } from '../settings';
import { primariesOf, type RedisClient } from './primaries';
import { type RedisServers, settingOf } from './redis-servers';

/**
 * Rejects with a `SettingsError` if the services cannot use the servers: a node of a Redis Cluster in REDIS_URL, because it serves only
 * part of the keys; no cluster in REDIS_CLUSTER; or a version before Redis 7, which does not support script flags. Servers that cannot be
 * reached now are checked when they connect, and after each reconnection. A rejection at that time is not handled, so it ends the process.
 */
export async function requireUsableRedis(client: RedisClient, servers: RedisServers, logger: Logger): Promise<void> {
  const error = await firstAttempt(client);
  if (error !== undefined && isNoCluster(error)) throw new SettingsError([noCluster]);
  if (client.status === 'ready') await requireAll(client, servers, logger);
  client.on('ready', () => void requireAll(client, servers, logger));
}

const noCluster = `${settingOf.cluster}: is not a Redis Cluster; use ${settingOf.single} or ${settingOf.sentinel}`;

/** Resolves when the first attempt to connect has succeeded or failed: with its error, if that is known. */
async function firstAttempt(client: RedisClient): Promise<Error | undefined> {
  if (client.status === 'ready') return undefined;
  return new Promise((resolve) => {
    client.once('ready', () => resolve(undefined));
    client.once('reconnecting', () => resolve(undefined));
    client.once('error', resolve);
  });
}

/** Whether the servers of REDIS_CLUSTER have answered that they are not a cluster. */
function isNoCluster(error: Error & { lastNodeError?: unknown }): boolean {
  return /cluster support disabled/.test(String(error.lastNodeError));
}

async function requireAll(client: RedisClient, servers: RedisServers, logger: Logger): Promise<void> {
  const variable = settingOf[servers.kind];
  const found = await Promise.all(
    primariesOf(client).flatMap((primary) => [
      versionError(primary, variable, logger),
      ...(client instanceof Cluster ? [] : [clusterError(primary, variable, logger)]),
    ]),
  );
  const errors = new Set(found.filter((error) => error !== undefined));
  if (errors.size > 0) throw new SettingsError([...errors]);
}

async function clusterError(client: Redis, variable: string, logger: Logger): Promise<string | undefined> {
  // Empty if the server refuses INFO; the client logs that.
  const info = await ask(client, () => client.info('cluster'));
  if (info instanceof ReplyError) logger.warn('could not check whether Redis is a node of a cluster', { error: info });
  return /^cluster_enabled:1\b/m.test(String(info))
    ? `${variable}: is a node of a Redis Cluster; use ${settingOf.cluster}`
    : undefined;
}

/**
 * Finds out by running a script with flags, because hosted and compatible servers report versions differently.
 */
async function versionError(client: Redis, variable: string, logger: Logger): Promise<string | undefined> {
  const reply = await ask(client, () => client.eval('#!lua flags=no-writes\nreturn 1', 0));
  if (!(reply instanceof Error)) return undefined;
  if (/\bcompiling script\b/.test(reply.message)) {
    return `${variable}: is too old; Redis 7 or later, or Valkey, is required`;
  }
  logger.warn('could not check the version of Redis: it does not run a script', { error: reply });
  return undefined;
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
