import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publishedKeys } from '@multi-drm/contracts';
import { primariesOf, type RedisClient } from '@multi-drm/service-kit';
import { cloneDatabase, keysLike, observedProcess, startOwnRedis, type TestRedisOfRun } from '@multi-drm/test-kit';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { endUserKey } from '../testing/end-user-key';
import { eventually } from '../testing/eventually';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { publishingStore } from '../testing/publishing-store';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { connectToRedis, emptyRedis } from '../testing/redis';
import { addEntriesForEverything } from './all-outbox-entries';
import { LostDocuments } from './lost-documents';
import { PendingDocuments } from './pending-documents';
import { Publisher } from './publisher';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let prisma: PrismaClient;
let server: TestRedisOfRun;
let redis: RedisClient;
let tenant: InsertedTenant;
let log: LogEntry[];
let publisher: Publisher | undefined;

const users = 30;
/** Organization, environment and end users. */
const records = users + 2;
/** Those, and the license backend of the environment's one DRM system. */
const documents = records + 1;

beforeAll(async () => {
  server = await startOwnRedis();
});

beforeEach(async () => {
  log = [];
  publisher = undefined;
  database = await cloneDatabase();
  prisma = createPrismaClient(database.url);
  redis = await connectToRedis(server.settings);
  await emptyRedis(redis);
  tenant = await insertTenant(prisma);
  await insertUsers(users);
  await addEntriesForEverything(prisma);
});

afterEach(async () => {
  await publisher?.stop();
  redis.disconnect();
  await prisma.$disconnect();
  await database.drop();
});

afterAll(() => server.stop());

async function insertUsers(count: number): Promise<void> {
  const { projectId } = tenant;
  await prisma.endUser.createMany({
    data: Array.from({ length: count }, () => ({ projectId, subject: randomUUID(), status: 'blocked' as const })),
  });
}

const publish = () =>
  new PendingDocuments({
    prisma,
    ...publishingStore(redis),
    logger: recordingLogger(log),
    now: () => new Date(),
    random: Math.random,
  }).publish();

/** Publishes everything and completes one pass, so that only later losses are found. */
async function settle(pageSize = 1_000): Promise<LostDocuments> {
  await publish();
  const lost = new LostDocuments({ prisma, redis, pageSize });
  while ((await lost.checkNext()).unfinished);
  expect(await prisma.outboxEntry.count()).toBe(0);
  return lost;
}

const pending = async () => (await prisma.outboxEntry.findMany()).map(({ documentId }) => documentId);

/** Every key and revision of a record in Redis. */
async function held(): Promise<Record<string, string | null>> {
  const keys = (await keysLike(primariesOf(redis), 'published:*')).filter(
    (key) => !/^published:(deployment|project)\b/.test(key),
  );
  return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await redis.hget(key, 'revision')])));
}

test('documents that Redis holds get no outbox entries', async () => {
  const lost = await settle();
  expect(await lost.checkNext()).toEqual({ found: 0, unfinished: false });
});

test('a missing or older document gets one outbox entry, in a round that reaches it', async () => {
  const lost = await settle(10);
  // The organization was published first, so it is not among the latest documents that each round checks.
  const key = publishedKeys.organization(tenant.organizationId);
  await redis.hset(key, 'revision', 0);
  const [first] = await prisma.endUser.findMany({ orderBy: { id: 'asc' }, take: 1 });
  await redis.del(await endUserKey(prisma, tenant.environmentId, first?.subject ?? ''));
  for (let round = 0; round < 8; round++) await lost.checkNext();
  expect((await pending()).toSorted()).toEqual([tenant.organizationId, first?.id].toSorted());
  await publish();
  expect(Number((await held())[key])).toBeGreaterThan(0);
  expect(Object.keys(await held())).toHaveLength(documents);
});

test('the document that was published last is missed in the next round, wherever the pass is', async () => {
  const lost = await settle(10);
  // The last of all pages.
  const last = await prisma.endUser.findFirstOrThrow({ orderBy: { id: 'desc' } });
  await prisma.outboxEntry.create({ data: { documentKind: 'endUser', documentId: last.id } });
  await publish();
  await redis.del(await endUserKey(prisma, tenant.environmentId, last.subject ?? ''));
  await lost.checkNext();
  expect(await pending()).toEqual([last.id]);
});

test('a pass that was interrupted by an error starts over', async () => {
  await settle();
  await redis.del(publishedKeys.organization(tenant.organizationId));
  const lost = new LostDocuments({ prisma, redis, pageSize: 10 });
  const { $executeRaw } = prisma;
  Object.assign(prisma, { $executeRaw: () => Promise.reject(new Error('away')) });
  await expect(lost.checkNext()).rejects.toThrow('away');
  Object.assign(prisma, { $executeRaw });
  while ((await lost.checkNext()).unfinished);
  expect(await pending()).toEqual([tenant.organizationId]);
});

test('one missing key of several is enough', async () => {
  const { projectId } = tenant;
  const { id } = await prisma.environment.create({ data: { projectId, kind: 'staging', name: 'Staging' } });
  await addEntriesForEverything(prisma);
  const lost = await settle();
  const [user] = await prisma.endUser.findMany({ take: 1 });
  await redis.del(await endUserKey(prisma, id, user?.subject ?? ''));
  await lost.checkNext();
  expect(await pending()).toEqual([user?.id]);
});

test('a missing tombstone is written again', async () => {
  const lost = await settle();
  const key = publishedKeys.environment(tenant.environmentId);
  await prisma.environment.updateMany({ data: { status: 'archived' } });
  await addEntriesForEverything(prisma);
  await publish();
  await redis.del(key);
  await lost.checkNext();
  expect(await pending()).toEqual([tenant.environmentId]);
  await publish();
  expect(await redis.hget(key, 'document')).toBe('');
});

test('rounds are bounded, but an emptied Redis is scanned at once, environments last', async () => {
  const lost = await settle(10);
  await emptyRedis(redis);
  const first = await lost.checkNext();
  expect(first.unfinished).toBe(true);
  expect(first.found).toBeLessThan(records);
  expect(await pending()).not.toContain(tenant.environmentId);
  while ((await lost.checkNext()).unfinished);
  expect((await pending()).toSorted()).toEqual(
    (await prisma.publishedDocument.findMany()).map(({ documentId }) => documentId).toSorted(),
  );
  expect(await pending()).toHaveLength(records);
});

test('a lost environment waits for the end users of its project', async () => {
  await settle();
  await emptyRedis(redis);
  await new LostDocuments({ prisma, redis }).checkAll();
  const keys: string[] = [];
  const store = publishingStore(redis);
  await new PendingDocuments({
    prisma,
    ...store,
    write: async (publication) => {
      keys.push(publication.key);
      return store.write(publication);
    },
    logger: recordingLogger(log),
    now: () => new Date(),
    random: Math.random,
  }).publish();
  expect(keys).toHaveLength(documents);
  expect(keys.slice(-2)).toEqual([
    publishedKeys.environment(tenant.environmentId),
    publishedKeys.licenseBackend(tenant.environmentId, 'widevine'),
  ]);
});

test('after a change of role or server everything is compared', async () => {
  const lost = await settle(10);
  // With another run id, as after a restart.
  const reconnected = new Promise((resolve) => redis.once('ready', resolve));
  await server.replaceServer();
  await reconnected;
  expect((await lost.checkNext()).unfinished).toBe(true);
});

test('an emptied Redis is refilled without manual action', async () => {
  await insertUsers(50);
  await addEntriesForEverything(prisma);
  publisher = new Publisher({ prisma, redis, logger: recordingLogger(log) });
  publisher.start();
  const whole = async () => expect(Object.keys(await held())).toHaveLength(documents + 50);
  await eventually(async () => {
    await whole();
    expect(await prisma.outboxEntry.count()).toBe(0);
    // With marks, or Redis is emptied while these are written, which is logged.
    expect(await redis.hget(publishedKeys.deployment, 'document')).toContain('"published":"all"');
    expect(await redis.exists(publishedKeys.project(tenant.projectId))).toBe(1);
  });
  await emptyRedis(redis);
  await eventually(whole);
  expect(log).toEqual([]);
});

describe('the command', () => {
  const run = (...options: string[]) =>
    promisify(execFile)(process.execPath, [...observedProcess.args(join(__dirname, '../republish.ts')), ...options], {
      env: {
        ...observedProcess.environment,
        PATH: process.env.PATH,
        DATABASE_URL: database.url,
        ...server.settings,
      },
    });

  test('adds outbox entries for everything and prints their number', async () => {
    await settle();
    expect((await run()).stdout).toBe(`${records}\n`);
    expect(await pending()).toHaveLength(records);
  });

  test('with --missing, adds outbox entries only for what Redis lacks', async () => {
    await settle();
    await redis.del(publishedKeys.organization(tenant.organizationId));
    expect((await run('--missing')).stdout).toBe('1\n');
    expect(await pending()).toEqual([tenant.organizationId]);
  });

  test('fails with a reason for an unknown option', async () => {
    await expect(run('--all')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('usage:') });
  });
});
