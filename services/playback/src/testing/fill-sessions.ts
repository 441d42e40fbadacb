import { HashKeySeal, parseSettings, redisSettings, setting } from '@multi-drm/service-kit';
import { RedisSlotStore } from '@multi-drm/slots';
import { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { RedisCatalog } from '../catalog/redis-catalog';
import { typicalSession } from './typical-session';

/**
 * Starts sessions of as many viewers in an environment, through the slot store and so with the scripts of the product, several hundred at
 * once. They last four hours. Has the settings of a service (REDIS_URL or REDIS_CLUSTER, SECRET_KEYS):
 *
 *   tsx --conditions=source fill-sessions.ts <environment id> <number of sessions>
 */

const atOnce = 512;

function connect(): Redis | Cluster {
  const { redis } = parseSettings(redisSettings, process.env);
  if (redis.kind === 'sentinel') throw new Error('Sentinels are not supported');
  return redis.kind === 'cluster' ? new Cluster(redis.nodes) : new Redis(redis.url, { enableAutoPipelining: true });
}

/** Names the viewers by the key that the deployment has published. */
async function fill(client: Redis | Cluster, environmentId: string, count: number): Promise<void> {
  const { SECRET_KEYS } = parseSettings(z.object({ SECRET_KEYS: setting.secretKeys }), process.env);
  const catalog = new RedisCatalog(client, { hashKeySeal: new HashKeySeal(SECRET_KEYS) });
  const { buckets } = await catalog.generation();
  const settings = {
    idempotentRepeatSeconds: 120,
    sessionIdRetentionSeconds: 86_400,
    buckets: () => buckets,
    eventBytes: () => 0,
  };
  const store = new RedisSlotStore(client, settings);
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { outcome } = await store.reserve(typicalSession(buckets, environmentId));
      if (outcome !== 'reserved') throw new Error(`a session was not reserved: ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function main(environmentId: string, count: number): Promise<void> {
  const client = connect();
  try {
    await fill(client, environmentId, count);
  } finally {
    client.disconnect();
  }
}

const [environmentId = '', count = ''] = process.argv.slice(2);
main(environmentId, Number(count)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
