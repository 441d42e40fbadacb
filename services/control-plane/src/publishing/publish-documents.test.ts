import { randomUUID } from 'node:crypto';
import { createRedisClient, redisAt } from '@multi-drm/service-kit';
import type { PrismaClient } from '../generated/prisma/client';
import { endUserKey } from '../testing/end-user-key';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { publishingStore } from '../testing/publishing-store';
import { recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { type DocumentWriter, RedisUnavailable } from './document-writer';
import { addOutboxEntry } from './outbox-entries';
import { type PublishingStore, publishDocuments } from './publish-documents';

let prisma: PrismaClient;
let tenant: InsertedTenant;
let redis: ReturnType<typeof createRedisClient>;
let store: PublishingStore;
let write: DocumentWriter;

const now = () => new Date('2026-03-01T10:00:00.000Z');

beforeAll(async () => {
  ({ prisma } = await openDatabase());
  const url = process.env.TEST_REDIS_URL ?? '';
  redis = createRedisClient({
    servers: redisAt(url),
    name: 'test',
    logger: recordingLogger([]),
    commandTimeout: 10_000,
  });
  store = publishingStore(redis);
  ({ write } = store);
});
beforeEach(async () => {
  tenant = await insertTenant(prisma);
});
afterAll(() => redis.disconnect());

async function addUsers(count: number): Promise<{ id: string; key: string }[]> {
  const users = Array.from({ length: count }, () => ({ id: randomUUID(), subject: randomUUID() }));
  const { projectId, environmentId } = tenant;
  await prisma.endUser.createMany({ data: users.map((user) => ({ ...user, projectId, status: 'blocked' as const })) });
  for (const { id } of users) await addOutboxEntry(prisma, 'endUser', id, true);
  return Promise.all(
    users.map(async ({ id, subject }) => ({ id, key: await endUserKey(prisma, environmentId, subject) })),
  );
}

/** The errors of the records that failed, by id. */
const publish = (users: { id: string }[], with_ = write) =>
  publishDocuments(
    { prisma, now, ...store, write: with_ },
    'endUser',
    users.map(({ id }) => id),
  );

const entriesOf = (users: { id: string }[]) =>
  prisma.outboxEntry.count({ where: { documentId: { in: users.map(({ id }) => id) } } });

const recordedOf = (users: { id: string }[]) =>
  prisma.publishedDocument.findMany({ where: { documentId: { in: users.map(({ id }) => id) } } });

test('records are published together, new ones and known ones, and their entries are deleted', async () => {
  const users = await addUsers(3);
  expect(await publish(users.slice(0, 1))).toEqual(new Map());
  expect(await publish(users)).toEqual(new Map());
  for (const { key } of users)
    expect(JSON.parse((await redis.hget(key, 'document')) ?? '')).toMatchObject({ status: 'blocked' });
  expect(await entriesOf(users)).toBe(0);
  const recorded = await recordedOf(users);
  expect(recorded).toHaveLength(3);
  for (const { keys, revision } of recorded) expect(await redis.hget(keys[0] ?? '', 'revision')).toBe(String(revision));
});

test('a record without an entry is not written again', async () => {
  const users = await addUsers(2);
  await publish(users);
  const [first] = users;
  await addOutboxEntry(prisma, 'endUser', first?.id ?? '', true);
  const written: string[] = [];
  const recording: DocumentWriter = async (publication) => {
    written.push(publication.key);
    return write(publication);
  };
  expect(await publish(users, recording)).toEqual(new Map());
  expect(written).toEqual([first?.key]);
});

test('a key of a new environment is recorded, and then written', async () => {
  const users = await addUsers(2);
  await publish(users);
  const added = await prisma.environment.create({
    data: { projectId: tenant.projectId, kind: 'staging', name: 'New' },
  });
  for (const { id } of users) await addOutboxEntry(prisma, 'endUser', id, true);
  expect(await publish(users)).toEqual(new Map());
  for (const { keys } of await recordedOf(users)) {
    expect(keys).toHaveLength(2);
    expect(keys.some((key) => key.includes(added.id))).toBe(true);
    for (const key of keys) expect(await redis.hget(key, 'document')).toContain('blocked');
  }
});

test('records that need a tombstone are published together with those that need none', async () => {
  const users = await addUsers(3);
  await publish(users);
  const [unblocked, ...blocked] = users;
  await prisma.endUser.update({ where: { id: unblocked?.id ?? '' }, data: { status: 'active' } });
  for (const { id } of users) await addOutboxEntry(prisma, 'endUser', id, true);
  expect(await publish(users)).toEqual(new Map());
  expect(await redis.hget(unblocked?.key ?? '', 'document')).toBe('');
  for (const { key } of blocked) expect(await redis.hget(key, 'document')).toContain('blocked');
  expect(await entriesOf(users)).toBe(0);
});

test.each(['after', 'before'])(
  'a record that took the subject of one that is published %s it keeps its document',
  async (order) => {
    const [erased, successor] = await addUsers(2);
    if (erased === undefined || successor === undefined) throw new Error('no end users');
    // Both are known, so that they are published in one transaction.
    await publish([erased, successor]);
    const { subject } = await prisma.endUser.findUniqueOrThrow({ where: { id: erased.id } });
    await prisma.endUser.update({ where: { id: erased.id }, data: { subject: null, status: 'archived' } });
    await prisma.endUser.update({ where: { id: successor.id }, data: { subject } });
    for (const { id } of [erased, successor]) await addOutboxEntry(prisma, 'endUser', id, true);
    expect(await publish(order === 'after' ? [successor, erased] : [erased, successor])).toEqual(new Map());
    expect(JSON.parse((await redis.hget(erased.key, 'document')) ?? '')).toMatchObject({ userId: successor.id });
  },
);

test('a record that cannot be written is left out, with its entry; the others are published', async () => {
  const users = await addUsers(3);
  const [refused, ...others] = users;
  const error = new Error('wrong type');
  const refusing: DocumentWriter = async (publication) => {
    if (publication.key === refused?.key) throw error;
    return write(publication);
  };
  expect(await publish(users, refusing)).toEqual(new Map([[refused?.id, error]]));
  expect(await entriesOf(users)).toBe(1);
  for (const { key } of others) expect(await redis.hget(key, 'document')).toContain('blocked');
});

test('a record that cannot be rendered is left out, with its entry; the others are published', async () => {
  const users = await addUsers(2);
  const [broken, other] = users;
  await prisma.erasedBlock.create({
    data: {
      endUserId: broken?.id ?? '',
      projectId: tenant.projectId,
      subjectHash: randomUUID(),
      environmentHashes: [1],
    },
  });
  expect([...(await publish(users)).keys()]).toEqual([broken?.id]);
  expect(await entriesOf(users)).toBe(1);
  expect(await redis.hget(other?.key ?? '', 'document')).toContain('blocked');
});

test('an outage rejects, and leaves the entries, and the keys that may have been written', async () => {
  const users = await addUsers(2);
  const failing: DocumentWriter = async () => {
    throw new RedisUnavailable(new Error('closed'));
  };
  await expect(publish(users, failing)).rejects.toThrow(RedisUnavailable);
  expect(await entriesOf(users)).toBe(2);
  expect((await recordedOf(users)).map(({ keys }) => keys[0]).sort()).toEqual(users.map(({ key }) => key).sort());
});

test('a change that is committed meanwhile keeps its entry', async () => {
  const users = await addUsers(2);
  await publish(users);
  for (const { id } of users) await addOutboxEntry(prisma, 'endUser', id, true);
  let changed = false;
  const changing: DocumentWriter = async (publication) => {
    if (!changed) {
      changed = true;
      await addOutboxEntry(prisma, 'endUser', users[0]?.id ?? '');
    }
    return write(publication);
  };
  expect(await publish(users, changing)).toEqual(new Map());
  expect(await entriesOf(users)).toBe(1);
});

test('when Redis holds a later revision than the database, all get a later one than that', async () => {
  const users = await addUsers(2);
  await publish(users);
  const [{ last }] = await prisma.$queryRaw<[{ last: bigint }]>`SELECT last_value AS last FROM publication_revision`;
  await redis.hset(users[0]?.key ?? '', 'revision', String(last + 1_000n));
  for (const { id } of users) await addOutboxEntry(prisma, 'endUser', id, true);
  expect(await publish(users)).toEqual(new Map());
  expect(await entriesOf(users)).toBe(0);
  for (const { revision } of await recordedOf(users)) expect(revision).toBeGreaterThan(last + 1_000n);
});
