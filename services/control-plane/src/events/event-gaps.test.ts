import type { RedisClient } from '@multi-drm/service-kit';
import { slotEventsDroppedKey, slotEventsKey, UnreadEvents } from '@multi-drm/slots';
import { startRedis } from '@multi-drm/test-kit';
import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/prisma/client';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { storeGaps } from './event-gaps';
import { createEventPool } from './event-pool';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let prisma: PrismaClient;
let pool: Pool;
let unread: UnreadEvents;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
  const database = await openDatabase();
  prisma = database.prisma;
  pool = createEventPool(database.url, recordingLogger([]));
  unread = new UnreadEvents(redis);
});
afterAll(async () => {
  await pool.end();
  redis.disconnect();
  await server.stop();
});

const gaps = () => prisma.eventGap.findMany({ orderBy: { from: 'asc' } });
const from = 1_790_000_000_000_000;

/** As the bound of a list does. */
async function drop(count: number, to: number): Promise<void> {
  await redis.hincrby(slotEventsDroppedKey(3), 'count', count);
  await redis.hsetnx(slotEventsDroppedKey(3), 'from', String(from));
  await redis.hset(slotEventsDroppedKey(3), 'to', String(to));
}

test('what was dropped becomes a gap, and is counted once by all readers', async () => {
  expect(await storeGaps(pool, unread)).toBe(0);
  await drop(5, from + 3_000);
  const notForgotten = { dropped: () => unread.dropped(), forgetDropped: async () => undefined };
  expect(await storeGaps(pool, notForgotten)).toBe(5);
  expect(await storeGaps(pool, notForgotten)).toBe(0);
  await drop(2, from + 8_000);
  expect(await storeGaps(pool, unread)).toBe(2);
  const gap = { list: slotEventsKey(3), from: new Date(from / 1000), to: new Date(from / 1000 + 8), count: 7n };
  expect(await gaps()).toEqual([gap]);
  expect(await redis.exists(slotEventsDroppedKey(3))).toBe(0);
  expect(await storeGaps(pool, unread)).toBe(0);
});
