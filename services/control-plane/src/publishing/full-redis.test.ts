import { publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { cloneDatabase, startRedis } from '@multi-drm/test-kit';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { eventually } from '../testing/eventually';
import { insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { addOutboxEntry } from './outbox-entries';
import { Publisher } from './publisher';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let server: Awaited<ReturnType<typeof startRedis>>;
let prisma: PrismaClient;
let redis: RedisClient;
let publisher: Publisher;

beforeAll(async () => {
  [server, database] = await Promise.all([startRedis(), cloneDatabase()]);
  prisma = createPrismaClient(database.url);
  redis = await connectToRedis({ REDIS_URL: server.url });
  publisher = new Publisher({ prisma, redis, logger: recordingLogger([]), pollMilliseconds: 50 });
  publisher.start();
});

afterAll(async () => {
  await publisher.stop();
  redis.disconnect();
  await prisma.$disconnect();
  await database.drop();
  await server.stop();
});

test('while Redis is full, a suspension is published at once and new documents once there is room', async () => {
  const { organizationId, environmentId } = await insertTenant(prisma);
  const statusInRedis = async () =>
    JSON.parse((await redis.hget(publishedKeys.organization(organizationId), 'document')) ?? '{}').status;
  await addOutboxEntry(prisma, 'organization', organizationId);
  await eventually(async () => expect(await statusInRedis()).toBe('active'));

  await redis.config('SET', 'maxmemory', '1');
  const { id } = await prisma.contentAsset.create({
    data: { environmentId, contentId: 'lesson', kind: 'vod', title: 'Lesson' },
  });
  await addOutboxEntry(prisma, 'content', id);
  await prisma.organization.update({ where: { id: organizationId }, data: { status: 'suspended' } });
  await addOutboxEntry(prisma, 'organization', organizationId);
  await eventually(async () => expect(await statusInRedis()).toBe('suspended'));
  const content = publishedKeys.content(environmentId, 'lesson');
  expect(await redis.exists(content)).toBe(0);

  await redis.config('SET', 'maxmemory', '0');
  await eventually(async () => expect(await redis.exists(content)).toBe(1));
});
