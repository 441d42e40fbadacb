import { publishedFormat, publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { type ReserveRequest, slotEventsKey } from '@multi-drm/slots';
import { buckets, newRequest, storeOn, subjectHashKey, untilRedisTime } from '@multi-drm/slots/testing';
import { startRedis } from '@multi-drm/test-kit';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import type { PrismaClient } from '../generated/prisma/client';
import { insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { eventSession } from '../testing/slot-events';
import { openDatabase } from '../testing/test-database';
import { createEventPool } from './event-pool';
import { OpenSessions } from './open-sessions';
import { RedisGeneration } from './redis-generation';
import { type EventSession, insertSessions } from './session-rows';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let prisma: PrismaClient;
let pool: BoundedPool;
let environmentId: string;

beforeAll(async () => {
  // Of its own, because other suites fill the lists of a shared one.
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
  const database = await openDatabase();
  prisma = database.prisma;
  pool = createEventPool(database.url, recordingLogger([]));
});
beforeEach(async () => {
  ({ environmentId } = await insertTenant(prisma));
});
afterAll(async () => {
  await pool.end();
  redis.disconnect();
  await server.stop();
});

const openSessions = () =>
  new OpenSessions({ pool, redis, readBuckets: async () => buckets, sessionIdRetentionSeconds: 86_400 });
const store = () => storeOn(redis);

/** Stores a session as open and due, as its start reports it. */
async function storeOpen(session: EventSession): Promise<void> {
  await inTransaction(pool, (client) => insertSessions(client, [session]));
  await makeDue();
  await redis.del(listOf(session));
}

async function makeDue(): Promise<void> {
  await prisma.$executeRaw`UPDATE session SET look_up_at = now() WHERE environment_id = ${environmentId}::uuid`;
}

const listOf = ({ subject }: { subject: string }) => slotEventsKey(buckets.bucketOf(environmentId, subject));

/** Reserves a session in Redis, and stores it. */
async function reserve(changes: Partial<ReserveRequest> = {}): Promise<EventSession & ReserveRequest> {
  const request = newRequest({ environmentId, ...changes });
  const reserved = await store().reserve(request);
  if (reserved.outcome !== 'reserved') throw new Error(reserved.outcome);
  const { details } = eventSession(environmentId);
  const times = { startedAt: reserved.startedAt.getTime() * 1000, expiresAt: reserved.expiresAt.getTime() };
  const session = { ...request, ...times, details };
  await storeOpen(session);
  return session;
}

const only = () => prisma.session.findFirstOrThrow({ where: { environmentId } });
const endEvents = async () =>
  (await prisma.event.findMany({ where: { scopeId: environmentId, type: 'session.ended' } })).map(({ data }) => data);
const inMinutes = (time: Date | null) => Math.round(((time?.getTime() ?? 0) - Date.now()) / 60_000) + 0;

test('a session that Redis has stays open, with its present end, and is looked up half an hour later', async () => {
  const session = await reserve();
  await store().renew({
    ...session,
    lifetimeMilliseconds: 7_200_000,
    maximumSessionMilliseconds: 86_400_000,
    callsPerMinute: null,
  });
  expect(await openSessions().lookUp()).toBe(false);
  const { endedAt, missingSince, expiresAt, lookUpAt } = await only();
  expect({ endedAt, missingSince }).toEqual({ endedAt: null, missingSince: null });
  expect([inMinutes(expiresAt), inMinutes(lookUpAt)]).toEqual([120, 30]);
});

test('a session that is not due is not looked up', async () => {
  const session = eventSession(environmentId);
  await inTransaction(pool, (client) => insertSessions(client, [session]));
  await openSessions().lookUp();
  expect(await only()).toMatchObject({ missingSince: null, lookUpAt: new Date(session.expiresAt + 60_000) });
});

test.each([
  ['released', 'ended'],
  ['terminated', 'terminated'],
] as const)('a session whose end was not reported ends as %s, as Redis remembers', async (endReason, reason) => {
  const session = await reserve();
  await store().release({ ...session, reason });
  await redis.del(listOf(session));
  await openSessions().lookUp();
  expect(await only()).toMatchObject({ endReason, licenseRequests: null, lookUpAt: null });
  expect(await endEvents()).toMatchObject([{ reason: endReason, licenseRequests: null }]);
});

test('a session that has expired ends at its end', async () => {
  const { expiresAt } = await reserve({ lifetimeMilliseconds: 1 });
  await untilRedisTime(redis, new Date(expiresAt));
  await openSessions().lookUp();
  expect(await only()).toMatchObject({ endReason: 'expired', endedAt: new Date(expiresAt) });
});

test('an end that is reported and not read yet comes first', async () => {
  const session = await reserve();
  await store().release({ ...session, reason: 'ended' });
  await redis.rpush(listOf(session), 'an entry');
  await openSessions().lookUp();
  await redis.del(listOf(session));
  const { endedAt, lookUpAt } = await only();
  expect([endedAt, inMinutes(lookUpAt)]).toEqual([null, 1]);
});

test('a session that Redis has lost is lost one lifetime after it was first missed, and ends then', async () => {
  const session = eventSession(environmentId);
  const lifetime = session.expiresAt - session.startedAt / 1000;
  await storeOpen(session);
  await openSessions().lookUp();
  const { missingSince, lookUpAt } = await only();
  expect([inMinutes(missingSince), inMinutes(lookUpAt)]).toEqual([0, 30]);
  const missedFor = async (milliseconds: number) => {
    const since = new Date(Date.now() - milliseconds);
    await prisma.session.updateMany({ where: { environmentId }, data: { missingSince: since } });
    await makeDue();
    await Promise.all([openSessions().lookUp(), openSessions().lookUp()]);
    return since;
  };
  await missedFor(lifetime - 5_000);
  expect(await only()).toMatchObject({ endedAt: null });
  const since = await missedFor(lifetime + 5_000);
  expect(await only()).toMatchObject({ endReason: 'lost', endedAt: since, licenseRequests: null });
  expect(await endEvents()).toMatchObject([{ reason: 'lost', endedAt: since.toISOString(), licenseRequests: null }]);
});

test('a session whose id has another reservation by now is missed', async () => {
  const session = await reserve();
  await prisma.session.deleteMany({ where: { environmentId } });
  await storeOpen({ ...session, reservationId: newRequest().reservationId });
  await openSessions().lookUp();
  expect(inMinutes((await only()).missingSince)).toBe(0);
});

test('a missed session that took its slot again is not missed any more', async () => {
  const session = await reserve();
  await prisma.session.updateMany({ where: { environmentId }, data: { missingSince: new Date() } });
  await openSessions().lookUp();
  expect(await only()).toMatchObject({ endedAt: null, missingSince: null, sessionId: session.sessionId });
});

test('after Redis was emptied, every open session is looked up at once, so that its loss is known', async () => {
  const sessions = Array.from({ length: 40 }, () => eventSession(environmentId));
  await inTransaction(pool, (client) => insertSessions(client, sessions));
  const generation = new RedisGeneration(redis);
  const publish = (name: string) => {
    const document = { format: publishedFormat, generation: name, published: 'all', subjectHashKey };
    return redis.hset(publishedKeys.deployment, { document: JSON.stringify(document) });
  };
  expect(await generation.hasChanged()).toBe(false);
  await publish('first');
  expect([await generation.hasChanged(), await generation.hasChanged()]).toEqual([false, false]);
  await redis.del(publishedKeys.deployment);
  expect(await generation.hasChanged()).toBe(false);
  await publish('second');
  expect([await generation.hasChanged(), await generation.hasChanged()]).toEqual([true, false]);
  await openSessions().suspectAll();
  await openSessions().lookUp();
  const missing = await prisma.session.findMany({ where: { environmentId, missingSince: { not: null } } });
  expect(missing).toHaveLength(40);
});
