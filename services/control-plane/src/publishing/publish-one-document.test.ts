import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import type { PrismaClient } from '../generated/prisma/client';
import { endUserKey } from '../testing/end-user-key';
import { insertTenant } from '../testing/insert-tenant';
import { publishRecord } from '../testing/publish-record';
import { publishingStore } from '../testing/publishing-store';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import type { DocumentWriter } from './document-writer';
import { addOutboxEntry } from './outbox-entries';
import type { PublishingStore } from './publish-documents';

let prisma: PrismaClient;
let redis: RedisClient;
let store: PublishingStore;
let write: DocumentWriter;
let environmentId: string;

const now = () => new Date('2026-03-01T10:00:00.000Z');
const documentKind = 'environment';

beforeAll(async () => {
  ({ prisma } = await openDatabase());
  redis = await connectToRedis();
  store = publishingStore(redis);
  ({ write } = store);
});

beforeEach(async () => {
  ({ environmentId } = await insertTenant(prisma));
});

afterAll(() => redis.disconnect());

/** Changes the environment as the API does. */
async function change(sessionLifetimeSeconds: number): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    await transaction.environment.update({ where: { id: environmentId }, data: { sessionLifetimeSeconds } });
    await addOutboxEntry(transaction, documentKind, environmentId);
  });
}

const publish = (with_: DocumentWriter = write) =>
  publishRecord({ prisma, now, ...store, write: with_ }, { documentKind, documentId: environmentId });

/**
 * The state of Redis: the revision, and the setting that the tests change. Null without a document, or for a tombstone.
 */
async function published() {
  const { revision, document } = await redis.hgetall(publishedKeys.environment(environmentId));
  const settings = document ? JSON.parse(document).settings : null;
  return { revision: BigInt(revision ?? 0), sessionLifetimeSeconds: settings?.sessionLifetimeSeconds ?? null };
}

const entries = () => prisma.outboxEntry.count({ where: { documentId: environmentId } });

const recorded = () =>
  prisma.publishedDocument.findUnique({
    where: { documentKind_documentId: { documentKind, documentId: environmentId } },
  });

/** Terminates the current transaction in PostgreSQL. */
async function terminateTransactions(): Promise<void> {
  await prisma.$queryRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'`;
}

test('a committed change is in Redis, its revision is recorded, and its outbox entries are deleted', async () => {
  await change(60);
  await change(61);
  await publish();
  const { revision, sessionLifetimeSeconds } = await published();
  expect(sessionLifetimeSeconds).toBe(61);
  expect(await entries()).toBe(0);
  expect(await recorded()).toMatchObject({
    keys: [publishedKeys.environment(environmentId), publishedKeys.licenseBackend(environmentId, 'widevine')],
    revision,
    publishedAt: now(),
  });
});

test('each publication has a greater revision', async () => {
  await change(60);
  await publish();
  const first = await published();
  await change(61);
  await publish();
  expect((await published()).revision).toBeGreaterThan(first.revision);
});

test('a record without an outbox entry is not published', async () => {
  await publish();
  expect((await published()).revision).toBe(0n);
});

test('a change that was rolled back leaves no outbox entry', async () => {
  const refused = prisma.$transaction(async (transaction) => {
    await addOutboxEntry(transaction, documentKind, environmentId);
    throw new Error('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect(await entries()).toBe(0);
});

test('if Redis fails, the outbox entries stay', async () => {
  await change(60);
  await expect(publish(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await entries()).toBe(1);
  expect((await recorded())?.revision).toBe(0n);
});

test('if the commit fails after the write to Redis, the next attempt wins', async () => {
  await change(60);
  const withoutCommit: DocumentWriter = async (publication) => {
    const reply = await write(publication);
    await terminateTransactions();
    return reply;
  };
  await expect(publish(withoutCommit)).rejects.toThrow();
  const failed = await published();
  expect(failed.sessionLifetimeSeconds).toBe(60);
  expect(await entries()).toBe(1);
  await change(61);
  await publish();
  const next = await published();
  expect(next.sessionLifetimeSeconds).toBe(61);
  expect(next.revision).toBeGreaterThan(failed.revision);
  expect(await recorded()).toMatchObject({ revision: next.revision });
});

test('if the first commit fails after the write to Redis and the record is deleted, Redis gets a tombstone', async () => {
  const { projectId } = await insertTenant(prisma);
  const { id: documentId } = await prisma.endUser.create({ data: { projectId, subject: 'viewer', status: 'blocked' } });
  const changed = { documentKind: 'endUser', documentId } as const;
  await addOutboxEntry(prisma, 'endUser', documentId);
  let key = '';
  const withoutCommit: DocumentWriter = async (publication) => {
    key = publication.key;
    const reply = await write(publication);
    await terminateTransactions();
    return reply;
  };
  await expect(publishRecord({ prisma, now, ...store, write: withoutCommit }, changed)).rejects.toThrow();
  expect(await redis.hget(key, 'document')).toContain(documentId);
  await prisma.endUser.update({ where: { id: documentId }, data: { status: 'archived', subject: null } });
  await addOutboxEntry(prisma, 'endUser', documentId);
  await publishRecord({ prisma, now, ...store }, changed);
  expect(await redis.hget(key, 'document')).toBe('');
});

test('a write to Redis that arrives after a later one changes nothing', async () => {
  await change(60);
  let arriveLate: () => Promise<unknown> = async () => undefined;
  await expect(
    publish(async (publication) => {
      if (publication.key === publishedKeys.environment(environmentId)) arriveLate = () => write(publication);
      throw new Error('timed out');
    }),
  ).rejects.toThrow('timed out');
  await change(61);
  await publish();
  await arriveLate();
  expect((await published()).sessionLifetimeSeconds).toBe(61);
});

test('a change that is committed while the document is being published keeps its outbox entry', async () => {
  await change(60);
  await publish(async (publication) => {
    if (publication.key === publishedKeys.environment(environmentId)) await change(61);
    return write(publication);
  });
  expect((await published()).sessionLifetimeSeconds).toBe(60);
  expect(await entries()).toBe(1);
  await publish();
  expect((await published()).sessionLifetimeSeconds).toBe(61);
});

test('a change that is committed just before the record is read keeps its outbox entry', async () => {
  await change(60);
  // The moment between deleting the outbox entries and reading the record.
  const slow = prisma.$extends({
    query: {
      environment: {
        async findMany({ args, query }) {
          await change(61);
          return query(args);
        },
      },
    },
  });
  await publishRecord(
    { prisma: slow as unknown as PrismaClient, now, ...store },
    { documentKind, documentId: environmentId },
  );
  expect((await published()).sessionLifetimeSeconds).toBe(61);
  expect(await entries()).toBe(1);
});

test('a document that another instance is publishing is left to it', async () => {
  await change(60);
  let writes = 0;
  await publish(async (publication) => {
    await publish(async () => {
      writes += 1;
      return null;
    });
    return write(publication);
  });
  expect(writes).toBe(0);
  expect((await published()).sessionLifetimeSeconds).toBe(60);
});

test('a deleted record becomes a tombstone with a greater revision', async () => {
  await change(60);
  await publish();
  const before = await published();
  await prisma.$transaction(async (transaction) => {
    await transaction.environmentDrmSystem.deleteMany({ where: { environmentId } });
    await transaction.environment.delete({ where: { id: environmentId } });
    await addOutboxEntry(transaction, documentKind, environmentId);
  });
  await publish();
  expect(await redis.hget(publishedKeys.environment(environmentId), 'document')).toBe('');
  expect((await published()).revision).toBeGreaterThan(before.revision);
  expect(await entries()).toBe(0);
});

test('a record with several keys is published with one revision, and keys that it lost become tombstones', async () => {
  const { projectId, environmentId: first } = await insertTenant(prisma);
  const { id: second } = await prisma.environment.create({ data: { projectId, kind: 'staging', name: 'Staging' } });
  const { id: documentId } = await prisma.endUser.create({ data: { projectId, subject: 'viewer', status: 'blocked' } });
  const changed = { documentKind: 'endUser', documentId } as const;
  const keys = await Promise.all([first, second].map((id) => endUserKey(prisma, id, 'viewer')));
  const held = () => Promise.all(keys.map((key) => redis.hgetall(key)));
  const publishUser = async () => {
    await addOutboxEntry(prisma, 'endUser', documentId);
    await publishRecord({ prisma, now, ...store }, changed);
  };
  await publishUser();
  const [one, other] = await held();
  expect([one?.document, other?.document].every((document) => document?.includes(documentId))).toBe(true);
  expect(one?.revision).toBe(other?.revision);
  await prisma.environment.update({ where: { id: second }, data: { status: 'archived' } });
  await publishUser();
  const [kept, lost] = await held();
  expect(kept?.document).toContain(first);
  expect(lost?.document).toBe('');
  expect(lost?.revision).toBe(kept?.revision);
  const row = await prisma.publishedDocument.findUnique({ where: { documentKind_documentId: changed } });
  expect(row).toMatchObject({ keys, revision: BigInt(kept?.revision ?? 0) });
});

test('a record that was deleted before it was ever published only loses its outbox entries', async () => {
  environmentId = randomUUID();
  await addOutboxEntry(prisma, documentKind, environmentId);
  await publish();
  expect(await redis.exists(publishedKeys.environment(environmentId))).toBe(0);
  expect(await entries()).toBe(0);
});

test('a revision sequence that has fallen behind Redis is advanced', async () => {
  const later =
    1_000_000_000n +
    (
      await prisma.$queryRaw<[{ last: bigint }]>`
    SELECT last_value AS last FROM publication_revision`
    )[0].last;
  await write({ key: publishedKeys.environment(environmentId), revision: later, document: '{}' });
  await change(60);
  await publish();
  const { revision, sessionLifetimeSeconds } = await published();
  expect(sessionLifetimeSeconds).toBe(60);
  expect(revision).toBeGreaterThan(later);
  await change(61);
  await publish();
  // The mark of the publication before is in between.
  expect((await published()).revision).toBe(revision + 2n);
});
