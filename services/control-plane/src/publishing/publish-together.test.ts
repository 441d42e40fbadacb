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
import type { PublishingStore } from './publish-document';
import { publishTogether } from './publish-together';

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

const publish = (users: { id: string }[], with_ = write) =>
  publishTogether(
    prisma,
    { ...store, write: with_ },
    'endUser',
    users.map(({ id }) => id),
    now,
  );

const entriesOf = (users: { id: string }[]) =>
  prisma.outboxEntry.count({ where: { documentId: { in: users.map(({ id }) => id) } } });

const recordedOf = (users: { id: string }[]) =>
  prisma.publishedDocument.findMany({ where: { documentId: { in: users.map(({ id }) => id) } } });

test('records are published together, new ones and known ones, and their entries are deleted', async () => {
  const users = await addUsers(3);
  expect(await publish(users.slice(0, 1))).toEqual([]);
  expect(await publish(users)).toEqual([]);
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
  expect(await publish(users, recording)).toEqual([]);
  expect(written).toEqual([first?.key]);
});

test('a key of a new environment is recorded, and then written', async () => {
  const users = await addUsers(2);
  await publish(users);
  const added = await prisma.environment.create({
    data: { projectId: tenant.projectId, kind: 'staging', name: 'New' },
  });
  for (const { id } of users) await addOutboxEntry(prisma, 'endUser', id, true);
  expect(await publish(users)).toEqual([]);
  for (const { keys } of await recordedOf(users)) {
    expect(keys).toHaveLength(2);
    expect(keys.some((key) => key.includes(added.id))).toBe(true);
    for (const key of keys) expect(await redis.hget(key, 'document')).toContain('blocked');
  }
});

test('a record that needs a tombstone is left over, with its entry; the others are published', async () => {
  const users = await addUsers(3);
  await publish(users);
  const [unblocked] = users;
  await prisma.endUser.update({ where: { id: unblocked?.id ?? '' }, data: { status: 'active' } });
  for (const { id } of users) await addOutboxEntry(prisma, 'endUser', id, true);
  expect(await publish(users)).toEqual([unblocked?.id]);
  expect(await entriesOf(users)).toBe(1);
});

test('with a record that cannot be written all are left over, with their entries', async () => {
  const users = await addUsers(3);
  const [refused] = users;
  const refusing: DocumentWriter = async (publication) => {
    if (publication.key === refused?.key) throw new Error('wrong type');
    return write(publication);
  };
  expect(await publish(users, refusing)).toEqual(users.map(({ id }) => id));
  expect(await entriesOf(users)).toBe(3);
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
  expect(await publish(users, changing)).toEqual([]);
  expect(await entriesOf(users)).toBe(1);
});

test('when Redis holds later revisions than the database, all are left over', async () => {
  const users = await addUsers(2);
  await publish(users);
  await redis.hset(users[0]?.key ?? '', 'revision', '9000000000000000');
  for (const { id } of users) await addOutboxEntry(prisma, 'endUser', id, true);
  expect(await publish(users)).toEqual(users.map(({ id }) => id));
  expect(await entriesOf(users)).toBe(2);
});
