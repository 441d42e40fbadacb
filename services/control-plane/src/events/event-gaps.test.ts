import type { RedisClient } from '@multi-drm/service-kit';
import { slotEventsDroppedKey, slotEventsKey, UnreadEvents } from '@multi-drm/slots';
import { startRedis } from '@multi-drm/test-kit';
import type { BoundedPool } from '../database/connection-pool';
import type { PrismaClient } from '../generated/prisma/client';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { EventGaps } from './event-gaps';
import { createEventPool } from './event-pool';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let prisma: PrismaClient;
let pool: BoundedPool;
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

beforeEach(async () => {
  await redis.flushall();
  await prisma.eventGap.deleteMany();
});

const stored = () => prisma.eventGap.findMany({ orderBy: { from: 'asc' } });
const from = 1_790_000_000_000_000;
const minute = 60_000;
const gapsOf = (now = () => 0) => new EventGaps({ pool, unread, now });

/** As the bound of a list does. */
async function drop(count: number, to: number, bucket = 3): Promise<void> {
  await redis.hincrby(slotEventsDroppedKey(bucket), 'count', count);
  await redis.hsetnx(slotEventsDroppedKey(bucket), 'from', String(from));
  await redis.hset(slotEventsDroppedKey(bucket), 'to', String(to));
}

test('what was dropped becomes a gap, and is counted once by all readers', async () => {
  const [one, other] = [gapsOf(), gapsOf()];
  expect(await one.store()).toBe(0);
  await drop(5, from + 3_000);
  expect([await one.store(), await one.store(), await other.store()]).toEqual([5, 0, 0]);
  await drop(2, from + 8_000);
  expect([await other.store(), await one.store()]).toEqual([2, 0]);
  const gap = { list: slotEventsKey(3), from: new Date(from / 1000), to: new Date(from / 1000 + 8), count: 7n };
  expect(await stored()).toEqual([gap]);
});

test('while more is dropped of a list, it is one gap; after ten minutes of nothing, another one', async () => {
  let now = 0;
  const gaps = gapsOf(() => now);
  for (; now < 60 * minute; now += 9 * minute) {
    await drop(1, from + now);
    await gaps.store();
  }
  expect(await stored()).toMatchObject([{ count: 7n, from: new Date(from / 1000) }]);
  now += 2 * minute;
  await gaps.store();
  expect(await redis.exists(slotEventsDroppedKey(3))).toBe(0);
  await redis.hset(slotEventsDroppedKey(3), { count: 4, from: from + now * 1000, to: from + now * 1000 });
  expect(await gaps.store()).toBe(4);
  expect((await stored()).map(({ count }) => count)).toEqual([7n, 4n]);
});

test('a time out of range is stored as the nearest one, and keeps no other gap from being stored', async () => {
  await redis.hset(slotEventsDroppedKey(1), { count: 3, from: '1e300', to: 5 });
  await redis.hset(slotEventsDroppedKey(2), { count: 4, from: 'now', to: '-1' });
  await drop(5, from, 3);
  expect(await gapsOf().store()).toBe(12);
  expect((await stored()).map(({ count, to }) => [count, to.getUTCFullYear()])).toEqual([
    [4n, 1970],
    [5n, 2026],
    [3n, 3000],
  ]);
});
