import { randomUUID } from 'node:crypto';
import { apiClientUse, apiClientUsesKey } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { Redis } from 'ioredis';
import { type Playback, sessionRequest, startPlayback, testRedisUrl } from '../testing/playback';
import { makeTenant } from '../testing/published-tenant';
import { ApiClientUses } from './api-client-uses';

const logger = { error: jest.fn(), warn: jest.fn(), info: jest.fn(), debug: jest.fn() };
let redis: RedisClient;
let playback: Playback;

beforeAll(async () => {
  playback = await startPlayback();
  redis = playback.redis;
});

const hash = 'a'.repeat(64);
const score = (clientId: string, accessKeyHash = hash) =>
  redis.zscore(apiClientUsesKey, apiClientUse(clientId, accessKeyHash));
const lastUse = async (clientId: string, accessKeyHash = hash) => Number(await score(clientId, accessKeyHash));
async function redisTime(): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

test('an accepted access key is recorded with the time of Redis, and a refused one is not', async () => {
  const tenant = makeTenant();
  const { clientId, accessKeyHashes } = tenant.client;
  await playback.publish(tenant);
  await playback.create({ ...tenant, accessKey: 'wrong' }, sessionRequest()).expect(401);
  expect(await score(clientId, accessKeyHashes[0])).toBeNull();
  const before = await redisTime();
  await playback.create(tenant, sessionRequest()).expect(200);
  expect(await lastUse(clientId, accessKeyHashes[0])).toBeGreaterThanOrEqual(before);
  expect(await lastUse(clientId, accessKeyHashes[0])).toBeLessThanOrEqual(await redisTime());
});

test('each access key is recorded once per minute', async () => {
  let now = 1;
  const uses = new ApiClientUses(redis, logger, () => now);
  const [first, second] = [randomUUID(), randomUUID()];
  uses.note(first, hash);
  const noted = await lastUse(first);
  await redis.zrem(apiClientUsesKey, apiClientUse(first, hash));
  now = 60_000;
  uses.note(first, hash);
  uses.note(first, 'b'.repeat(64));
  uses.note(second, hash);
  expect(await score(first)).toBeNull();
  expect(await lastUse(first, 'b'.repeat(64))).toBeGreaterThanOrEqual(noted);
  expect(await lastUse(second)).toBeGreaterThanOrEqual(noted);
  now = 60_002;
  uses.note(first, hash);
  expect(await lastUse(first)).toBeGreaterThanOrEqual(noted);
});

test('a later time is kept', async () => {
  const clientId = randomUUID();
  const later = (await redisTime()) + 5_000;
  await redis.zadd(apiClientUsesKey, later, apiClientUse(clientId, hash));
  new ApiClientUses(redis, logger).note(clientId, hash);
  expect(await lastUse(clientId)).toBe(later);
});

test('a failed record is logged at debug level only', async () => {
  const away = new Redis(testRedisUrl(), { lazyConnect: true, enableOfflineQueue: false });
  const logged = new Promise((resolve) => logger.debug.mockImplementation(resolve));
  new ApiClientUses(away, logger).note(randomUUID(), hash);
  expect(await logged).toBe('could not record the use of an API client');
  for (const log of [logger.error, logger.warn, logger.info]) expect(log).not.toHaveBeenCalled();
  away.disconnect();
});
