import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { publishedChangesChannel, publishedKeys } from '@multi-drm/contracts';
import { createRedisClient, type RedisClient, redisAt } from '@multi-drm/service-kit';
import { startRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import { recordingLogger } from '../testing/recording-logger';
import { createDocumentWriter, RedisFull, RedisUnavailable } from './document-writer';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let write: ReturnType<typeof createDocumentWriter>;
/** For a document that does not exist yet. */
let key: string;

beforeAll(async () => {
  server = await startRedis();
});

beforeEach(async () => {
  redis = createRedisClient({ servers: redisAt(server.url), name: 'test', logger: recordingLogger([]) });
  write = createDocumentWriter(redis);
  key = publishedKeys.environment(randomUUID());
});

afterEach(() => redis.disconnect());

afterAll(() => server.stop());

test('a newer revision replaces the document', async () => {
  expect(await write({ key, revision: 9n, document: '{"a":1}' })).toBeNull();
  expect(await write({ key, revision: 10n, document: '{"a":2}' })).toBeNull();
  expect(await redis.hgetall(key)).toEqual({ revision: '10', document: '{"a":2}' });
});

test.each([
  ['an older', 9n],
  ['the same', 10n],
])('%s revision changes nothing and gets the current revision', async (_name, revision) => {
  await write({ key, revision: 10n, document: '{"a":1}' });
  expect(await write({ key, revision, document: '{"a":2}' })).toBe(10n);
  expect(await redis.hgetall(key)).toEqual({ revision: '10', document: '{"a":1}' });
});

test('a tombstone is a revision with an empty document, and an older document does not replace it', async () => {
  await write({ key, revision: 2n, document: '' });
  await write({ key, revision: 1n, document: '{"a":1}' });
  expect(await redis.hgetall(key)).toEqual({ revision: '2', document: '' });
});

test('a written key is announced, and a key that was not written is not', async () => {
  const subscriber = new Redis(server.url);
  await subscriber.subscribe(publishedChangesChannel);
  const other = publishedKeys.environment(randomUUID());
  const announced: string[] = [];
  const complete = new Promise<void>((resolve) => {
    subscriber.on('message', (_channel, message) => {
      announced.push(message);
      if (message === other) resolve();
    });
  });
  await write({ key, revision: 2n, document: '{}' });
  await write({ key, revision: 1n, document: '{}' });
  await write({ key: other, revision: 1n, document: '{}' });
  await complete;
  expect(announced).toEqual([key, other]);
  subscriber.disconnect();
});

test('an invalid revision does not prevent a document from being published', async () => {
  await once(redis, 'ready');
  await redis.hset(key, 'revision', 'none');
  expect(await write({ key, revision: 1n, document: '{}' })).toBeNull();
});

test('the script is loaded again if Redis has forgotten it', async () => {
  await write({ key, revision: 1n, document: '{}' });
  await redis.script('FLUSH');
  expect(await write({ key, revision: 2n, document: '{}' })).toBeNull();
});

test('a key of another type is an error of this document, not an outage', async () => {
  await once(redis, 'ready');
  await redis.set(key, 'text');
  const call = write({ key, revision: 1n, document: '{}' });
  await expect(call).rejects.toThrow('WRONGTYPE');
  await expect(call).rejects.not.toBeInstanceOf(RedisUnavailable);
});

test('a Redis that temporarily accepts no writes is an outage', async () => {
  await write({ key, revision: 1n, document: '{}' });
  await redis.config('SET', 'min-replicas-to-write', '1');
  await expect(write({ key, revision: 2n, document: '{}' })).rejects.toBeInstanceOf(RedisUnavailable);
  await redis.config('SET', 'min-replicas-to-write', '0');
});

describe('a full Redis', () => {
  const other = () => publishedKeys.environment(randomUUID());
  beforeEach(async () => {
    await write({ key, revision: 2n, document: '{"status":"active"}' });
    await redis.config('SET', 'maxmemory', '1');
    await redis.script('FLUSH');
  });
  afterEach(() => redis.config('SET', 'maxmemory', '0'));

  test('accepts a document that replaces another, and announces it', async () => {
    const subscriber = new Redis(server.url);
    await subscriber.subscribe(publishedChangesChannel);
    const announced = once(subscriber, 'message');
    expect(await write({ key, revision: 3n, document: '{"status":"suspended"}' })).toBeNull();
    expect(await redis.hgetall(key)).toEqual({ revision: '3', document: '{"status":"suspended"}' });
    expect(await announced).toEqual([publishedChangesChannel, key]);
    subscriber.disconnect();
    expect(await write({ key, revision: 3n, document: '{}' })).toBe(3n);
  });

  test('accepts a tombstone, which lasts for seven days', async () => {
    for (const taken of [key, other()]) {
      expect(await write({ key: taken, revision: 3n, document: '' })).toBeNull();
      expect(await redis.hgetall(taken)).toEqual({ revision: '3', document: '' });
      expect(await redis.ttl(taken)).toBeGreaterThan(604_000);
    }
  });

  test('has no room for a new document, nor for one that is much larger than the previous one', async () => {
    const added = other();
    await expect(write({ key: added, revision: 3n, document: '{}' })).rejects.toBeInstanceOf(RedisFull);
    expect(await redis.exists(added)).toBe(0);
    const larger = JSON.stringify({ status: 'x'.repeat(1100) });
    await expect(write({ key, revision: 3n, document: larger })).rejects.toBeInstanceOf(RedisFull);
    expect(await redis.hget(key, 'revision')).toBe('2');
    await redis.config('SET', 'maxmemory', '0');
    expect(await write({ key, revision: 3n, document: larger })).toBeNull();
  });
});

test('an unreachable Redis is an outage, which ends once it is back', async () => {
  await write({ key, revision: 1n, document: '{}' });
  await server.stop();
  await expect(write({ key, revision: 2n, document: '{}' })).rejects.toBeInstanceOf(RedisUnavailable);
  await server.start();
  expect(await write({ key, revision: 3n, document: '{}' })).toBeNull();
});

test('a Redis that does not answer is an outage, which ends once it answers', async () => {
  await write({ key, revision: 1n, document: '{}' });
  server.process.kill('SIGSTOP');
  await expect(write({ key, revision: 2n, document: '{}' })).rejects.toBeInstanceOf(RedisUnavailable);
  server.process.kill('SIGCONT');
  expect(await write({ key, revision: 3n, document: '{}' })).toBeNull();
  expect(await redis.hget(key, 'revision')).toBe('3');
});

test('a connection that was closed on purpose is an outage', async () => {
  redis.disconnect();
  await once(redis, 'end');
  await expect(write({ key, revision: 1n, document: '{}' })).rejects.toBeInstanceOf(RedisUnavailable);
});
