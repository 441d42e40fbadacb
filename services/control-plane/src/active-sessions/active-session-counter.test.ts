import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { activeSessionsKey, bucketHashTag, bucketsOfDeployment, SubjectBuckets } from '@multi-drm/contracts';
import {
  createRedisClient,
  parseSettings,
  type RedisClient,
  type RedisServers,
  redisAt,
  redisSettings,
} from '@multi-drm/service-kit';
import { startNetworkLink } from '@multi-drm/test-kit';
import { recordingLogger } from '../testing/recording-logger';
import { ActiveSessionCounter } from './active-session-counter';

const client = (servers: RedisServers) =>
  createRedisClient({ servers, name: 'test', logger: recordingLogger([]), commandTimeout: 1_000 });

async function connected(redis: RedisClient): Promise<RedisClient> {
  await once(redis, 'ready');
  return redis;
}

/** Milliseconds since 1970, by the clock of Redis. */
async function redisNow(redis: RedisClient): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

const buckets = new SubjectBuckets('A'.repeat(43));

/** Adds a session as playback does, with a slot that ends after this many milliseconds. */
async function addSession(redis: RedisClient, environmentId: string, subject: string, left: number): Promise<void> {
  const key = activeSessionsKey(buckets.hashTagOf(environmentId, subject), environmentId);
  await redis.zadd(key, (await redisNow(redis)) + left, `${randomUUID()}:${subject}`);
}

const { TEST_REDIS_URL: oneUrl = '', TEST_REDIS_CLUSTER_URL: clusterUrl = '' } = process.env;
const cluster = parseSettings(redisSettings, { REDIS_CLUSTER: clusterUrl }).redis;

describe.each([
  ['one Redis', redisAt(oneUrl)],
  ['a cluster', cluster],
])('on %s', (_, servers) => {
  let redis: RedisClient;
  let counter: ActiveSessionCounter;
  beforeAll(async () => {
    redis = await connected(client(servers));
    counter = new ActiveSessionCounter(redis);
  });
  afterAll(() => redis.disconnect());

  test('counts the sessions in every bucket of the given environments only', async () => {
    const [first, second, other] = [randomUUID(), randomUUID(), randomUUID()];
    expect(await counter.count([first, second])).toBe(0);
    const end = (await redisNow(redis)) + 60_000;
    for (const bucket of [0, 1, 128, bucketsOfDeployment - 1]) {
      await redis.zadd(activeSessionsKey(bucketHashTag(bucket), first), end, `s:${bucket}`);
    }
    for (const subject of ['a', 'b', 'b']) await addSession(redis, second, subject, 60_000);
    await addSession(redis, other, 'a', 60_000);
    expect(await counter.count([first])).toBe(4);
    expect(await counter.count([first, second])).toBe(7);
    expect(await counter.count([])).toBe(0);
  });

  test('leaves out expired slots, by the clock of Redis, even if they are still listed', async () => {
    const environmentId = randomUUID();
    await addSession(redis, environmentId, 'a', -1);
    await addSession(redis, environmentId, 'a', 60_000);
    expect(await counter.count([environmentId])).toBe(1);
  });

  test('a key of another type is an error, not zero', async () => {
    const environmentId = randomUUID();
    await redis.set(activeSessionsKey(bucketHashTag(7), environmentId), 'text');
    await expect(counter.count([environmentId])).rejects.toThrow('WRONGTYPE');
  });
});

test.each(['cut', 'silent'])('while the connection to Redis is %s, a count fails in time', async (how) => {
  const link = await startNetworkLink(oneUrl);
  const redis = await connected(client(redisAt(link.url)));
  if (how === 'cut') await link.cut();
  else link.silence();
  const since = performance.now();
  await expect(new ActiveSessionCounter(redis).count([randomUUID()])).rejects.toMatchObject({
    code: 'service_unavailable',
    headers: { 'Retry-After': '5' },
  });
  expect(performance.now() - since).toBeLessThan(4_000);
  redis.disconnect();
  await link.close();
});
