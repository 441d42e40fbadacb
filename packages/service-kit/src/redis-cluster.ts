import { type Redis, ReplyError } from 'ioredis';
import type { Logger } from './logger';
import { SettingsError } from './settings';

/**
 * Rejects with a `SettingsError` where the server is a node of a Redis Cluster: one node serves a part of the keys, so a part
 * of all requests would fail. A server that is away is asked when it is back, and again after each reconnection; the
 * rejection, which nobody handles then, ends the process.
 */
export async function refuseRedisCluster(client: Redis, logger: Logger): Promise<void> {
  if (await isReached(client)) await requireNoCluster(client, logger);
  client.on('ready', () => void requireNoCluster(client, logger));
}

/** Resolves with the first outcome of connecting. */
async function isReached(client: Redis): Promise<boolean> {
  if (client.status === 'ready') return true;
  return new Promise((resolve) => {
    client.once('ready', () => resolve(true));
    client.once('reconnecting', () => resolve(false));
  });
}

async function requireNoCluster(client: Redis, logger: Logger): Promise<void> {
  const info = await clusterSection(client, logger);
  if (!/^cluster_enabled:1\b/m.test(info)) return;
  throw new SettingsError([
    'REDIS_URL: is a node of a Redis Cluster, which is not supported; name a Redis that has cluster mode off',
  ]);
}

/** Of INFO; empty where it cannot be had. */
async function clusterSection(client: Redis, logger: Logger): Promise<string> {
  for (;;) {
    try {
      return await client.info('cluster');
    } catch (error) {
      // Hosted ones refuse INFO. An answer that was late is asked for again, on a connection that is gone it cannot be.
      if (!(error instanceof ReplyError) && client.status === 'ready') continue;
      logger.debug('whether Redis is a cluster cannot be read', { error });
      return '';
    }
  }
}
