import { randomUUID } from 'node:crypto';
import { publishedFormat, publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/test-kit';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { endUserKey } from '../testing/end-user-key';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { publishingStore } from '../testing/publishing-store';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { addEntriesForEverything } from './all-outbox-entries';
import { Completeness } from './completeness';
import { addOutboxEntry } from './outbox-entries';
import { PendingDocuments } from './pending-documents';
import { Refill } from './refill';
import { readSubjectBuckets, readSubjectHashKey } from './subject-hash-key';

let database: TestDatabase;
let prisma: PrismaClient;
let server: TestRedis;
let redis: RedisClient;
let completeness: Completeness;
let tenant: InsertedTenant;
const subjects = ['viewer-1', 'viewer-2', 'viewer-3'];

beforeEach(async () => {
  [server, database] = await Promise.all([startRedis(), cloneDatabase()]);
  prisma = createPrismaClient(database.url);
  redis = await connectToRedis({ REDIS_URL: server.url });
  completeness = new Completeness(redis, randomUUID);
  tenant = await insertTenant(prisma);
  const { projectId } = tenant;
  const data = subjects.map((subject) => ({ projectId, subject, status: 'blocked' as const }));
  await prisma.endUser.createMany({ data });
  await addEntriesForEverything(prisma);
  await new PendingDocuments({ ...parts(), random: Math.random }).publish();
  await refillAll();
});
afterEach(async () => {
  redis.disconnect();
  await prisma.$disconnect();
  await Promise.all([server.stop(), database.drop()]);
});

const parts = () => ({
  prisma,
  ...publishingStore(redis),
  logger: recordingLogger([]),
  now: () => new Date(),
});

async function refillAll(): Promise<void> {
  const refill = new Refill({ ...parts(), completeness });
  while (await refill.next());
}

const readDeployment = async () => completeness.read(await readSubjectHashKey(prisma));

/** Replaces the marks of the deployment and of its only project. */
async function mark(deployment: object, generation: string): Promise<void> {
  await redis.hset(publishedKeys.deployment, 'document', JSON.stringify({ ...deployment, generation }));
  const document = JSON.stringify({ projectId: tenant.projectId, generation });
  await redis.hset(publishedKeys.project(tenant.projectId), 'document', document);
}

/** Expects a new generation in which everything has been published under the names of the database's key. */
async function expectPublishedAnew(former: string): Promise<void> {
  for (const subject of subjects) {
    const document = await redis.hget(await endUserKey(prisma, tenant.environmentId, subject), 'document');
    expect(JSON.parse(document ?? 'null')).toMatchObject({ status: 'blocked' });
  }
  const deployment = await readDeployment();
  expect(deployment).toMatchObject({ format: publishedFormat, published: 'all' });
  expect(deployment?.subjectHashKey).toBe(await readSubjectHashKey(prisma));
  const generation = deployment?.generation ?? '';
  expect(generation).not.toBe(former);
  expect(await completeness.incompleteOf([tenant.projectId], generation)).toEqual([]);
}

/** The name and the document of a viewer in format 3. */
async function formerDocument(subject: string): Promise<{ id: string; key: string; document: string }> {
  const { environmentId } = tenant;
  const { id } = await prisma.endUser.findFirstOrThrow({ where: { subject } });
  const tag = (await readSubjectBuckets(prisma)).hashTagOf(environmentId, subject);
  const document = { userId: id, environmentId, subject, status: 'blocked', maximumConcurrentStreams: null };
  return { id, key: `published:end-user:${tag}:${environmentId}:${subject}`, document: JSON.stringify(document) };
}

test('after an upgrade from format 3, no key and no document that is published names a viewer', async () => {
  for (const subject of subjects) {
    const { id, key, document } = await formerDocument(subject);
    await redis.hset(key, { revision: 1, document });
    await redis.del(await endUserKey(prisma, tenant.environmentId, subject));
    await prisma.publishedDocument.updateMany({ where: { documentId: id }, data: { keys: [key] } });
  }
  await mark({ format: 3, published: 'all', subjectHashKey: await readSubjectHashKey(prisma) }, 'former');
  await refillAll();
  await expectPublishedAnew('former');
  const keys = await redis.keys('*');
  const documents = await Promise.all(keys.map((key) => redis.hget(key, 'document').catch(() => null)));
  expect(JSON.stringify([keys, documents])).not.toContain('viewer-');
});

test('a viewer that is erased after an upgrade leaves no key of the former format', async () => {
  const [subject = ''] = subjects;
  const { id, key, document } = await formerDocument(subject);
  await redis.hset(key, { revision: 1, document });
  await prisma.publishedDocument.updateMany({ where: { documentId: id }, data: { keys: [key] } });
  await prisma.endUser.update({ where: { id }, data: { subject: null, status: 'archived' } });
  await addOutboxEntry(prisma, 'endUser', id);
  await new PendingDocuments({ ...parts(), random: Math.random }).publish();
  expect(await redis.exists(key)).toBe(0);
  expect(await prisma.publishedDocument.findFirst({ where: { documentId: id } })).toMatchObject({ keys: [] });
});

test('a Redis of a former format gets the documents of all viewers under their present names before anything is complete', async () => {
  // As the former format left it: other names, which are recorded, and a mark without a format.
  await prisma.$executeRaw`
    UPDATE published_document SET keys = ARRAY['published:end-user:former'] WHERE document_kind = 'endUser'`;
  for (const subject of subjects) await redis.del(await endUserKey(prisma, tenant.environmentId, subject));
  await mark({ published: 'all' }, 'former');

  expect(await readDeployment()).toBeNull();
  await refillAll();
  await expectPublishedAnew('former');
  // The former names stay recorded until each record is published the next time, which removes their documents.
  const rows = await prisma.publishedDocument.findMany({ where: { documentKind: 'endUser' } });
  for (const { keys } of rows) expect(keys).toHaveLength(2);
});

test.each<[string, object]>([
  ['of format 3', { format: 3 }],
  ['without a key', { format: publishedFormat }],
  ['with a malformed key', { format: publishedFormat, subjectHashKey: 'short' }],
  ['without anything it should have', { format: 'other', generation: null }],
  ['with the key of another database', { format: publishedFormat, subjectHashKey: 'A'.repeat(43) }],
])('a deployment %s is published again', async (_of, deployment) => {
  await mark({ ...deployment, published: 'all' }, 'former');
  expect(await readDeployment()).toBeNull();
  await refillAll();
  await expectPublishedAnew('former');
});

test('another key in the database begins a new generation, with other names of all viewers', async () => {
  const former = (await readDeployment())?.generation ?? '';
  const nameOf = (subject: string) => endUserKey(prisma, tenant.environmentId, subject);
  const before = await Promise.all(subjects.map(nameOf));
  await prisma.subjectHashKey.update({ where: { id: 1 }, data: { key: Buffer.alloc(32, 'another key') } });
  expect(await Promise.all(subjects.map(nameOf))).not.toEqual(before);
  await refillAll();
  await expectPublishedAnew(former);
});

test('completeness marks from before another emptying of Redis are void', async () => {
  const former = (await readDeployment())?.generation ?? '';
  await redis.flushall();
  const { generation } = await completeness.begin(await readSubjectHashKey(prisma), async () => undefined);
  await completeness.complete([tenant.projectId], former);
  expect(await completeness.incompleteOf([tenant.projectId], generation)).toEqual([tenant.projectId]);
});

test('a database has one random key of 32 bytes', async () => {
  const key = Buffer.from(await readSubjectHashKey(prisma), 'base64url');
  expect(key).toHaveLength(32);
  expect(new Set(key).size).toBeGreaterThan(16);
  await expect(prisma.subjectHashKey.create({ data: { id: 2, key: Buffer.alloc(32) } })).rejects.toThrow('one_row');
  await expect(prisma.subjectHashKey.update({ where: { id: 1 }, data: { key: Buffer.alloc(8) } })).rejects.toThrow();
});
