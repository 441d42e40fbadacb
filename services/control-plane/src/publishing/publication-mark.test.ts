import { once } from 'node:events';
import { publicationMarkChannel, publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import type { Transaction } from '../database/database';
import type { PrismaClient } from '../generated/prisma/client';
import { insertTenant } from '../testing/insert-tenant';
import { publishRecord } from '../testing/publish-record';
import { publishingStore } from '../testing/publishing-store';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { type DocumentWriter, RedisUnavailable } from './document-writer';
import { addOutboxEntry } from './outbox-entries';

let prisma: PrismaClient;
let server: TestRedis;
let redis: RedisClient;
let closers: (() => void)[];
let store: ReturnType<typeof publishingStore>;

beforeAll(async () => {
  [{ prisma }, server] = await Promise.all([openDatabase(), startRedis()]);
});
beforeEach(async () => {
  closers = [];
  redis = await connectToRedis({ REDIS_URL: server.url });
  await redis.flushall();
  await redis.hset(publishedKeys.deployment, 'document', '{}');
  await prisma.publishedDocument.updateMany({ data: { mark: 0 } });
  store = publishingStore(redis);
});
afterEach(() => {
  for (const close of [...closers, () => redis.disconnect()]) close();
});
afterAll(() => server.stop());

const held = async () => BigInt((await redis.hget(publishedKeys.deployment, 'mark')) ?? 0);
const recorded = async (documentId: string) =>
  (await prisma.publishedDocument.findFirst({ where: { documentId } })) ?? { mark: 0n, revision: 0n };
const now = () => new Date();

/** A new record with an outbox entry. */
async function addOrganization(): Promise<string> {
  const { organizationId } = await insertTenant(prisma);
  await addOutboxEntry(prisma, 'organization', organizationId);
  return organizationId;
}

const publish = (documentId: string, write = store.write, mark = store.mark) =>
  publishRecord({ prisma, now, write, mark }, { documentKind: 'organization', documentId });

test('the mark is raised and announced after the documents are written, and recorded', async () => {
  const subscriber = new Redis(server.url);
  closers.push(() => subscriber.disconnect());
  await subscriber.subscribe(publicationMarkChannel);
  const announced = once(subscriber, 'message');
  const [first, second] = [await addOrganization(), await addOrganization()];
  await publish(first);
  const before = await held();
  expect(before).toBe((await recorded(first)).mark);
  expect(await announced).toEqual([publicationMarkChannel, String(before)]);
  let during = 0n;
  await publish(second, async (publication) => {
    const present = await store.write(publication);
    during = await held();
    return present;
  });
  expect(during).toBe(before);
  const { mark, revision } = await recorded(second);
  expect(await held()).toBe(mark);
  expect(mark).toBeGreaterThan(revision);
});

test('a document that could not be written leaves the mark as it was', async () => {
  await publish(await addOrganization());
  const before = await held();
  const fail: DocumentWriter = () => Promise.reject(new RedisUnavailable(new Error('away')));
  await expect(publish(await addOrganization(), fail)).rejects.toThrow(RedisUnavailable);
  expect(await held()).toBe(before);
});

test('the mark of a publication is higher than any that Redis had before its documents', async () => {
  const [first, second] = [await addOrganization(), await addOrganization()];
  // The second one begins later, and is done before the first one has written anything.
  await publish(first, async (publication) => {
    await publish(second);
    return store.write(publication);
  });
  const [early, late] = [await recorded(second), await recorded(first)];
  expect(early.revision).toBeGreaterThan(late.revision);
  expect(late.mark).toBeGreaterThan(early.mark);
});

test('if the connection is lost between document and mark, the change is published again', async () => {
  const id = await addOrganization();
  const reconnect: DocumentWriter = async (publication) => {
    const present = await store.write(publication);
    const ready = once(redis, 'ready');
    redis.disconnect(true);
    await ready;
    return present;
  };
  await expect(publish(id, reconnect)).rejects.toThrow(RedisUnavailable);
  expect(await held()).toBe(0n);
  expect(await prisma.outboxEntry.count({ where: { documentId: id } })).toBe(1);
});

test('if the connection is lost between mark and commit, the change is published again', async () => {
  const id = await addOrganization();
  const begin = async () => {
    const raise = await store.mark.begin();
    return async (transaction: Transaction) => {
      const mark = await raise(transaction);
      const closed = once(redis, 'close');
      redis.disconnect(true);
      await closed;
      return mark;
    };
  };
  await publish(id, store.write, Object.assign(Object.create(store.mark), { begin }));
  expect(await prisma.outboxEntry.count({ where: { documentId: id } })).toBe(1);
  await once(redis, 'ready');
  await publish(id);
  expect(await prisma.outboxEntry.count({ where: { documentId: id } })).toBe(0);
});

test('a publication does not raise the mark of a Redis that has lost others, but is recorded', async () => {
  await publish(await addOrganization());
  const lost = (await held()) - 1n;
  await redis.hset(publishedKeys.deployment, 'mark', String(lost));
  const id = await addOrganization();
  await publish(id);
  expect(await held()).toBe(lost);
  expect((await recorded(id)).mark).toBeGreaterThan(lost);
});

test('a full Redis accepts the mark of what it accepts', async () => {
  const id = await addOrganization();
  await publish(id);
  const before = await held();
  await addOutboxEntry(prisma, 'organization', id);
  await redis.config('SET', 'maxmemory', '1');
  await publish(id);
  await redis.config('SET', 'maxmemory', '0');
  expect(await held()).toBeGreaterThan(before);
});

test.each(['', 'many', '-1'])('the mark %j in Redis counts as none', async (text) => {
  await redis.hset(publishedKeys.deployment, 'mark', text);
  expect(await store.mark.held()).toBe(0n);
  await publish(await addOrganization());
  expect(await held()).toBeGreaterThan(0n);
});
