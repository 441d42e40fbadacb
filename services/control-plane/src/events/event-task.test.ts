import { Metrics, type RedisClient } from '@multi-drm/service-kit';
import { slotEventsDroppedKey, slotEventsKey } from '@multi-drm/slots';
import { buckets, packSlotEvent } from '@multi-drm/slots/testing';
import { startRedis } from '@multi-drm/test-kit';
import type { PrismaClient } from '../generated/prisma/client';
import { eventually } from '../testing/eventually';
import { insertTenant } from '../testing/insert-tenant';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { eventSession, started } from '../testing/slot-events';
import { openDatabase } from '../testing/test-database';
import { addEventGauges } from './event-gauges';
import { EventTask } from './event-task';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let prisma: PrismaClient;
let connectionString: string;
let environmentId: string;
const log: LogEntry[] = [];

beforeAll(async () => {
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
  ({ prisma, url: connectionString } = await openDatabase());
});
beforeEach(async () => {
  await redis.flushall();
  ({ environmentId } = await insertTenant(prisma));
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function createTask() {
  const counts = { stored: 0, setAside: 0, dropped: 0 };
  const task = new EventTask({
    connectionString,
    redis,
    readBuckets: async () => buckets,
    eventDays: 30,
    logger: recordingLogger(log),
    counters: {
      stored: (count) => {
        counts.stored += count;
      },
      setAside: (count) => {
        counts.setAside += count;
      },
      dropped: (count) => {
        counts.dropped += count;
      },
    },
    monotonicNow: () => performance.now(),
  });
  return { task, counts };
}

test('a task stores what playback reports, looks for lost sessions, and counts', async () => {
  const { task, counts } = createTask();
  const old = eventSession(environmentId, {
    startedAt: (Date.now() - 3_600_000) * 1000,
    expiresAt: Date.now() - 120_000,
  });
  await redis.rpush(slotEventsKey(9), packSlotEvent(started(old)), 'no entry');
  await redis.hset(slotEventsDroppedKey(9), { count: 4, from: 1_790_000_000_000_000, to: 1_790_000_000_000_001 });
  await prisma.eventOutboxEntry.create({ data: { type: 'drm_system.changed', scopeId: environmentId, data: {} } });
  task.start();
  await eventually(async () => {
    const session = await prisma.session.findFirst({ where: { environmentId } });
    expect(session?.missingSince).toEqual(expect.any(Date));
  });
  await task.stop();
  expect(counts).toEqual({ stored: 1, setAside: 1, dropped: 4 });
  expect(await prisma.event.count({ where: { scopeId: environmentId } })).toBe(2);
  expect(log).toEqual([]);
});

test('work of a round that fails keeps no other from running', async () => {
  log.length = 0;
  const { task } = createTask();
  const old = eventSession(environmentId, {
    startedAt: (Date.now() - 3_600_000) * 1000,
    expiresAt: Date.now() - 120_000,
  });
  await redis.rpush(slotEventsKey(9), packSlotEvent(started(old)));
  await redis.hset(slotEventsDroppedKey(9), { count: 4, from: 1_790_000_000_000_000, to: 1_790_000_000_000_001 });
  await prisma.$executeRaw`ALTER TABLE event_gap RENAME TO event_gap_away`;
  await prisma.$executeRaw`ALTER TABLE event_outbox RENAME TO event_outbox_away`;
  task.start();
  await eventually(async () => {
    const session = await prisma.session.findFirst({ where: { environmentId } });
    expect(session?.missingSince).toEqual(expect.any(Date));
  });
  await task.stop();
  await prisma.$executeRaw`ALTER TABLE event_gap_away RENAME TO event_gap`;
  await prisma.$executeRaw`ALTER TABLE event_outbox_away RENAME TO event_outbox`;
  expect(log.map(({ message }) => message).sort()).toEqual([
    'dropping old events of changes fails',
    'storing events of changes fails',
    'storing gaps of events fails',
  ]);
  log.length = 0;
});

test('asked to store now, a task stores all entries of a list, even if there are more than it stores at a time', async () => {
  const { task, counts } = createTask();
  const entries = Array.from({ length: 2_100 }, (_, index) =>
    packSlotEvent(started(eventSession(environmentId, { startedAt: Date.now() * 1000 - index }))),
  );
  await redis.rpush(slotEventsKey(7), ...entries);
  await task.readNow();
  expect(counts.stored).toBe(2_100);
  await task.stop();
});

test('metrics show how far behind events are, and for how long there are partitions', async () => {
  const { task } = createTask();
  await task.partitions.add();
  const metrics = new Metrics(recordingLogger(log));
  addEventGauges(metrics, task, Date.now);
  const values = async () => {
    const text = await metrics.text();
    const metric = (name: string) => Number(new RegExp(`^multi_drm_${name} (.*)$`, 'm').exec(text)?.[1]);
    return {
      unread: metric('event_entries_unread'),
      age: Math.floor(metric('event_oldest_unread_age_seconds') / 10),
      days: metric('event_partition_days'),
    };
  };
  expect(await values()).toEqual({ unread: 0, age: 0, days: 8 });
  const entries = [70_000, 10_000].map((age) => eventSession(environmentId, { startedAt: (Date.now() - age) * 1000 }));
  for (const [index, session] of entries.entries()) {
    await redis.rpush(slotEventsKey(index), packSlotEvent(started(session)));
  }
  await redis.rpush(slotEventsKey(2), 'no entry');
  expect(await values()).toEqual({ unread: 3, age: 7, days: 8 });
  await task.stop();
});
