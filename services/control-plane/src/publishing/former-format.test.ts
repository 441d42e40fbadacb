import { randomUUID } from 'node:crypto';
import { publishedFormat, publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/testing';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { addEntriesForEverything } from './all-outbox-entries';
import { Completeness } from './completeness';
import { createDocumentWriter } from './document-writer';
import { PendingDocuments } from './pending-documents';
import { Refill } from './refill';

let database: TestDatabase;
let prisma: PrismaClient;
let server: TestRedis;
let redis: RedisClient;

beforeAll(async () => {
  [server, database] = await Promise.all([startRedis(), cloneDatabase()]);
  prisma = createPrismaClient(database.url);
  redis = await connectToRedis({ REDIS_URL: server.url });
});
afterAll(async () => {
  redis.disconnect();
  await prisma.$disconnect();
  await Promise.all([server.stop(), database.drop()]);
});

const parts = () => ({
  prisma,
  write: createDocumentWriter(redis),
  logger: recordingLogger([]),
  now: () => new Date(),
});

async function refillAll(): Promise<Completeness> {
  const completeness = new Completeness(redis, randomUUID);
  const refill = new Refill({ ...parts(), completeness });
  while (await refill.next());
  return completeness;
}

test('a Redis of a former format gets the documents of all viewers under their present names before anything is complete', async () => {
  const { projectId, environmentId } = await insertTenant(prisma);
  const subjects = Array.from({ length: 3 }, () => randomUUID());
  const data = subjects.map((subject) => ({ projectId, subject, status: 'blocked' as const }));
  await prisma.endUser.createMany({ data });
  await addEntriesForEverything(prisma);
  await new PendingDocuments({ ...parts(), random: Math.random }).publish();
  await refillAll();
  // As the former format left it: other names, which are recorded, and a mark without a format.
  await prisma.$executeRaw`
    UPDATE published_document SET keys = ARRAY['published:end-user:former'] WHERE document_kind = 'endUser'`;
  await redis.del(subjects.map((subject) => publishedKeys.endUser(environmentId, subject)));
  const former = { generation: 'former', published: 'all' };
  await redis.hset(publishedKeys.deployment, 'document', JSON.stringify(former));
  await redis.hset(publishedKeys.project(projectId), 'document', JSON.stringify({ projectId, generation: 'former' }));

  expect(await new Completeness(redis, randomUUID).read()).toBeNull();
  const completeness = await refillAll();
  for (const subject of subjects) {
    const document = await redis.hget(publishedKeys.endUser(environmentId, subject), 'document');
    expect(JSON.parse(document ?? 'null')).toMatchObject({ subject, status: 'blocked' });
  }
  const deployment = await completeness.read();
  expect(deployment).toMatchObject({ format: publishedFormat, published: 'all' });
  expect(await completeness.incompleteOf([projectId], deployment?.generation ?? '')).toEqual([]);
  // The former names stay recorded until each record is published the next time, which removes their documents.
  const rows = await prisma.publishedDocument.findMany({ where: { documentKind: 'endUser' } });
  for (const { keys } of rows) expect(keys).toHaveLength(2);
});
