import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { HashKeySeal, type RedisClient } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { Completeness } from './completeness';
import { sealHashKey } from './seal-hash-key';
import { readSubjectHashKey } from './subject-hash-key';

const key = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) });
const former = new HashKeySeal([key('former', 1)]);
const rotating = new HashKeySeal([key('newest', 2), key('former', 1)]);
const newest = new HashKeySeal([key('newest', 2)]);

let server: TestRedis;
let redis: RedisClient;
let prisma: PrismaClient;
let databaseUrl: string;
let hashKey: string;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
});
beforeEach(async () => {
  await redis.flushall();
  ({ prisma, url: databaseUrl } = await openDatabase());
  hashKey = await readSubjectHashKey(prisma);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const stored = async () => JSON.stringify(await prisma.$queryRaw`SELECT *, encode(key, 'hex') FROM subject_hash_key`);
const published = async () => (await redis.hget(publishedKeys.deployment, 'document')) ?? '';

/** What a process reads that has these keys, outside of a transaction and in one. */
async function readWith(hashKeySeal: HashKeySeal): Promise<string[]> {
  const client = createPrismaClient(databaseUrl, { hashKeySeal });
  try {
    return [await readSubjectHashKey(client), await client.$transaction(readSubjectHashKey)];
  } finally {
    await client.$disconnect();
  }
}

test('the key in the database is sealed, and stays the same through a rotation', async () => {
  await sealHashKey(prisma, former);
  expect(await stored()).not.toContain(Buffer.from(hashKey, 'base64url').toString('hex'));
  expect(await readWith(former)).toEqual([hashKey, hashKey]);
  await sealHashKey(prisma, rotating);
  expect(await readWith(newest)).toEqual([hashKey, hashKey]);
});

test('a key that is sealed with unknown keys is neither read nor replaced', async () => {
  await sealHashKey(prisma, former);
  const before = await stored();
  await expect(sealHashKey(prisma, newest)).rejects.toThrow('SECRET_KEYS has no key former');
  await expect(readWith(newest)).rejects.toThrow('SECRET_KEYS has no key former');
  expect(await stored()).toBe(before);
});

test('the key in Redis is sealed, and a rotation begins no new generation', async () => {
  const begin = (seal: HashKeySeal) => new Completeness(redis, randomUUID, seal).begin(hashKey, async () => undefined);
  const { generation } = await begin(former);
  expect(await published()).not.toContain(hashKey);
  const text = await published();
  expect(await begin(former)).toMatchObject({ generation });
  expect(await published()).toBe(text);
  expect(await begin(rotating)).toMatchObject({ generation, subjectHashKey: hashKey });
  expect(await published()).not.toBe(text);
  expect(await begin(newest)).toMatchObject({ generation });
  expect(newest.isCurrent(JSON.parse(await published()).subjectHashKey)).toBe(true);
});

test('what is published of the deployment is replaced while its key is sealed', async () => {
  const completeness = new Completeness(redis, randomUUID, former);
  const deployment = await completeness.begin(hashKey, async () => undefined);
  const all = { ...deployment, published: 'all' as const };
  expect(await completeness.replace(deployment, all)).toEqual(all);
  expect(await completeness.replace(deployment, { ...deployment, published: 'some' })).toEqual(all);
});
