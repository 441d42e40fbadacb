import type { RedisClient } from '@multi-drm/service-kit';
import { slotEventsKey, UnreadEvents } from '@multi-drm/slots';
import { buckets, expectOutcome, newRequest, storeOn, untilRedisTime } from '@multi-drm/slots/testing';
import { startRedis } from '@multi-drm/test-kit';
import type { BoundedPool } from '../database/connection-pool';
import type { PrismaClient } from '../generated/prisma/client';
import { insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { EntryStore } from './entry-store';
import { createEventPool } from './event-pool';
import { EventReader } from './event-reader';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let prisma: PrismaClient;
let pool: BoundedPool;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
  const database = await openDatabase();
  prisma = database.prisma;
  pool = createEventPool(database.url, recordingLogger([]));
});
afterAll(async () => {
  await pool.end();
  redis.disconnect();
  await server.stop();
});

test('every session that the slots report is stored with its start, its end and the reason', async () => {
  const { environmentId } = await insertTenant(prisma);
  const store = storeOn(redis, { eventBytes: () => 2 ** 20 });
  const reserve = async (sessionId: string, changes: Parameters<typeof newRequest>[0] = {}) => {
    const request = newRequest({ environmentId, sessionId: `session-${sessionId}`, ...changes });
    const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
    return { ...request, expiresAt };
  };
  await reserve('replaced');
  await reserve('evicted', { replacesSessionId: 'session-replaced' });
  const released = await reserve('released', { limit: 1, atStreamLimit: 'evict-oldest' });
  await store.countLicenseRequest({ ...released, callsPerMinute: null });
  await store.release({ ...released, reason: 'ended' });
  await store.undo(await reserve('undone'));
  const { expiresAt } = await reserve('expired', { lifetimeMilliseconds: 1 });
  await untilRedisTime(redis, expiresAt);
  const terminated = await reserve('terminated', { limit: 1 });
  await store.release({ ...terminated, reason: 'terminated' });
  await reserve('open');

  const reader = new EventReader({
    unread: new UnreadEvents(redis),
    entries: new EntryStore(pool, async () => buckets),
    logger: recordingLogger([]),
  });
  await reader.readOnce();
  expect(await redis.llen(slotEventsKey(buckets.bucketOf(environmentId, released.subject)))).toBe(0);
  const sessions = await prisma.session.findMany({ where: { environmentId }, orderBy: { startedAt: 'asc' } });
  const reasons = sessions.map(({ sessionId, endReason }) => [sessionId, endReason]);
  const ends = ['replaced', 'evicted', 'released', 'undone', 'expired', 'terminated'];
  expect(Object.fromEntries(reasons)).toEqual({
    ...Object.fromEntries(ends.map((reason) => [`session-${reason}`, reason])),
    'session-open': null,
  });
  expect(sessions.find(({ endReason }) => endReason === 'released')?.licenseRequests).toBe(1);
  expect(sessions.every(({ startedAt, endedAt }) => endedAt === null || endedAt >= startedAt)).toBe(true);
  // In their order, each session starts before it ends, and before the next one of the viewer.
  const events = await prisma.event.findMany({ where: { scopeId: environmentId }, orderBy: { id: 'asc' } });
  expect(events.map(({ type, sessionId }) => `${type} ${sessionId}`)).toEqual(
    [
      'started replaced',
      'ended replaced',
      'started evicted',
      'ended evicted',
      'started released',
      'ended released',
      'started undone',
      'ended undone',
      'started expired',
      'ended expired',
      'started terminated',
      'ended terminated',
      'started open',
    ].map((text) => `session.${text.replace(' ', ' session-')}`),
  );
  expect(await prisma.eventSetAside.count()).toBe(0);
});
