import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { primariesOf, type RedisClient } from '@multi-drm/service-kit';
import { cloneDatabase, keysLike, startOwnRedis, type TestDatabase, type TestRedisOfRun } from '@multi-drm/test-kit';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { eventually } from '../testing/eventually';
import { insertTenant } from '../testing/insert-tenant';
import { publishingStore } from '../testing/publishing-store';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { connectToRedis, emptyRedis } from '../testing/redis';
import { addEntriesForEverything } from './all-outbox-entries';
import { Completeness } from './completeness';
import { createDocumentWriter, type DocumentWriter, RedisFull } from './document-writer';
import { addOutboxEntry } from './outbox-entries';
import { PendingDocuments } from './pending-documents';
import { Publisher } from './publisher';
import { Refill } from './refill';
import { readSubjectHashKey } from './subject-hash-key';

let database: TestDatabase;
let prisma: PrismaClient;
let server: TestRedisOfRun;
let redis: RedisClient;
let log: LogEntry[];
let time: number;
/** Keys in the order in which they were written. */
let written: string[];
/** Why a document cannot be written, by its key. */
let refusal: (key: string) => Error | undefined;
let publisher: Publisher | undefined;

beforeAll(async () => {
  server = await startOwnRedis();
  redis = await connectToRedis(server.settings);
});
beforeEach(async () => {
  [database] = await Promise.all([cloneDatabase(), emptyRedis(redis)]);
  prisma = createPrismaClient(database.url);
  log = [];
  time = Date.parse('2026-03-01T10:00:00.000Z');
  written = [];
  refusal = () => undefined;
  publisher = undefined;
});
afterEach(async () => {
  await publisher?.stop();
  await prisma.$disconnect();
  await database.drop();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** A tenant whose viewers are all blocked; resolves to its project. */
async function addProject(viewers: number): Promise<{ projectId: string; environmentId: string }> {
  const { projectId, environmentId } = await insertTenant(prisma);
  const viewer = () => ({ projectId, status: 'blocked' as const, subject: randomUUID() });
  await prisma.endUser.createMany({ data: Array.from({ length: viewers }, viewer) });
  return { projectId, environmentId };
}

const now = () => new Date(time);
const record: DocumentWriter = async (publication) => {
  const error = refusal(publication.key);
  if (error !== undefined) throw error;
  const present = await createDocumentWriter(redis)(publication);
  written.push(publication.key);
  return present;
};

/** Publishes everything in the database. */
async function publishAll(): Promise<void> {
  await addEntriesForEverything(prisma);
  const store = { prisma, ...publishingStore(redis) };
  await new PendingDocuments({ ...store, logger: recordingLogger(log), now, random: Math.random }).publish();
}

const completeness = () => new Completeness(redis, randomUUID);

function refill(options: Partial<ConstructorParameters<typeof Refill>[0]> = {}): Refill {
  return new Refill({
    prisma,
    ...publishingStore(redis),
    write: record,
    logger: recordingLogger(log),
    now,
    completeness: completeness(),
    ...options,
  });
}

async function refillAll(parts: Refill): Promise<void> {
  while (await parts.next());
}

const readDeployment = async () => completeness().read(await readSubjectHashKey(prisma));

async function isComplete(projectId: string): Promise<boolean> {
  const generation = (await readDeployment())?.generation ?? '';
  return (await completeness().incompleteOf([projectId], generation)).length === 0;
}

/** Every document of a record, by its key. */
async function held(): Promise<Record<string, string | null>> {
  const keys = (await keysLike(primariesOf(redis), 'published:*')).filter(
    (key) => !/^published:(deployment|project)\b/.test(key),
  );
  return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await redis.hget(key, 'document')])));
}

test('an emptied Redis gets its documents back with the same revisions, and every project is marked as complete', async () => {
  const projects = [await addProject(3), await addProject(0)];
  await publishAll();
  const before = await held();
  await emptyRedis(redis);
  await refillAll(refill());
  expect(await held()).toEqual(before);
  for (const { projectId } of projects) expect(await isComplete(projectId)).toBe(true);
  expect((await readDeployment())?.published).toBe('all');
  expect(await prisma.outboxEntry.count()).toBe(0);
});

test('a project is complete only after all of its documents, and everything is listed before a large one is complete', async () => {
  const { projectId } = await addProject(7);
  await publishAll();
  await emptyRedis(redis);
  const parts = refill({ pageSize: 2, turn: 4 });
  const seen: [string | undefined, boolean][] = [];
  let more = true;
  while (more) {
    more = await parts.next();
    const present = await isComplete(projectId);
    seen.push([(await readDeployment())?.published, present]);
    if (present) expect(Object.keys(await held())).toHaveLength(7 + 3);
  }
  expect(seen.at(0)).toEqual(['all', false]);
  expect(seen.at(-1)).toEqual(['all', true]);
});

test('everything is listed only once every environment and API client is written', async () => {
  await Promise.all([addProject(3), addProject(0)]);
  await publishAll();
  const isListed = (key: string) => /^published:(environment|api-client)\b/.test(key);
  const listed = Object.keys(await held()).filter(isListed);
  await emptyRedis(redis);
  const parts = refill({ pageSize: 1, turn: 1 });
  const missing: boolean[] = [];
  for (let more = true; more; ) {
    more = await parts.next();
    const present = Object.keys(await held());
    missing.push(listed.some((key) => !present.includes(key)));
    if (missing.at(-1)) expect((await readDeployment())?.published).not.toBe('all');
  }
  expect([missing.at(0), missing.at(-1)]).toEqual([true, false]);
  expect((await readDeployment())?.published).toBe('all');
});

test('a project is not complete while a restored environment waits for its viewers', async () => {
  const { projectId, environmentId } = await addProject(1);
  await publishAll();
  const document = { documentKind: 'environment' as const, documentId: environmentId };
  await prisma.publishedDocument.updateMany({ where: document, data: { revision: 0 } });
  await prisma.outboxEntry.create({ data: { ...document, bulk: true } });
  await emptyRedis(redis);
  const parts = refill();
  await refillAll(parts);
  expect(await isComplete(projectId)).toBe(false);
  await prisma.outboxEntry.deleteMany();
  time += 1_000;
  await refillAll(parts);
  expect(await isComplete(projectId)).toBe(true);
});

test('the smallest project comes first, and large ones take turns', async () => {
  const [first, second, small] = [await addProject(9), await addProject(9), await addProject(1)];
  await publishAll();
  await emptyRedis(redis);
  await refillAll(refill({ pageSize: 3, turn: 3 }));
  const owners = new Map([first, second, small].map(({ environmentId }, index) => [environmentId, index]));
  const order = written
    .filter((key) => key.startsWith('published:viewer:'))
    .map((key) => owners.get(/\}:([^:]+):/.exec(key)?.[1] ?? ''));
  expect(order[0]).toBe(2);
  // Both have started before either is done.
  const large = order.slice(1);
  expect(new Set(large.slice(0, 6))).toEqual(new Set([0, 1]));
});

test('if Redis is emptied during the refill, it starts over', async () => {
  const projects = [await addProject(1), await addProject(5)];
  await publishAll();
  const before = await held();
  await emptyRedis(redis);
  const parts = refill({ pageSize: 2, turn: 4 });
  await parts.next();
  await emptyRedis(redis);
  await refillAll(parts);
  expect(await held()).toEqual(before);
  for (const { projectId } of projects) expect(await isComplete(projectId)).toBe(true);
});

test('a single project without a completeness mark is found within a second, and nothing else is written', async () => {
  const [one, other] = [await addProject(1), await addProject(1)];
  await publishAll();
  const parts = refill();
  await refillAll(parts);
  await redis.del(publishedKeys.project(one.projectId));
  written = [];
  time += 1_001;
  await refillAll(parts);
  expect(await isComplete(one.projectId)).toBe(true);
  expect(written.filter((key) => key.includes(other.environmentId))).toEqual([]);
});

test('documents whose completeness marks are lost become complete without being published again', async () => {
  const { projectId } = await addProject(2);
  await publishAll();
  const revisions = () => prisma.publishedDocument.findMany({ select: { documentId: true, revision: true } });
  const [before, known] = [await held(), await revisions()];
  await refillAll(refill());
  expect(await isComplete(projectId)).toBe(true);
  expect([await held(), await revisions()]).toEqual([before, known]);
});

test('an older state is never written over a newer one', async () => {
  await addProject(1);
  await publishAll();
  const [key = ''] = Object.keys(await held()).filter((name) => name.startsWith('published:viewer:'));
  const newer = { revision: '1000000', document: '{"newer":true}' };
  await redis.hset(key, newer);
  await refillAll(refill());
  expect(await redis.hgetall(key)).toEqual(newer);
});

test('a project with a viewer that cannot be published stays incomplete and is retried; others are not affected', async () => {
  const [ill, well] = [await addProject(1), await addProject(1)];
  await publishAll();
  await emptyRedis(redis);
  refusal = (key) => (key.includes(`}:${ill.environmentId}:`) ? new Error('refused') : undefined);
  const parts = refill();
  await refillAll(parts);
  expect([await isComplete(ill.projectId), await isComplete(well.projectId)]).toEqual([false, true]);
  expect(log).toMatchObject([{ level: 'error', message: 'a document cannot be published' }]);
  refusal = () => undefined;
  time += 11_000;
  await refillAll(parts);
  expect(await isComplete(ill.projectId)).toBe(true);
});

test('an environment without room in a full Redis is not taken for one that does not exist', async () => {
  const { environmentId } = await addProject(0);
  await publishAll();
  await emptyRedis(redis);
  refusal = (key) => (key === publishedKeys.environment(environmentId) ? new RedisFull() : undefined);
  const parts = refill();
  for (const _step of [1, 2]) await expect(parts.next()).rejects.toThrow(RedisFull);
  expect((await readDeployment())?.published).toBe('nothing');
  refusal = () => undefined;
  await refillAll(parts);
  expect((await readDeployment())?.published).toBe('all');
});

/** Starts a publisher, which stops with the test. */
function startPublisher(pollMilliseconds: number): Publisher {
  const logger = recordingLogger(log);
  publisher = new Publisher({ prisma, redis, logger, pollMilliseconds, maximumWaitMilliseconds: 10_000 });
  publisher.start();
  return publisher;
}

test('a new project is complete when the change that created its environment is answered', async () => {
  // It looks for changes only when it is woken.
  const running = startPublisher(3_600_000);
  // Everything of the projects before it is listed.
  const { projectId: earlier } = await addProject(0);
  await eventually(async () => expect(await isComplete(earlier)).toBe(true), 10_000);
  const { projectId, environmentId } = await addProject(0);
  await addOutboxEntry(prisma, 'environment', environmentId);
  await running.whenPublished([{ documentKind: 'environment', documentId: environmentId }]);
  expect(await isComplete(projectId)).toBe(true);
});

test('an emptied Redis is refilled, and its projects become complete, without manual action', async () => {
  const { projectId } = await addProject(1);
  await publishAll();
  const before = await held();
  startPublisher(20);
  await eventually(async () => expect(await isComplete(projectId)).toBe(true), 10_000);
  await emptyRedis(redis);
  expect(await isComplete(projectId)).toBe(false);
  await eventually(async () => expect(await isComplete(projectId)).toBe(true), 10_000);
  expect(await held()).toEqual(before);
});
