import { randomUUID } from 'node:crypto';
import type { SlotEvent } from '@multi-drm/slots';
import type { Pool } from 'pg';
import { inTransaction } from '../database/pool-transaction';
import { createEventPool } from '../events/event-pool';
import { storeSlotEvents } from '../events/store-slot-events';
import type { PrismaClient } from '../generated/prisma/client';
import { readUsage, type UsageInterval } from '../stores/usage';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { ended, started, toldSession } from '../testing/told-events';
import { UsageClosings } from './closings';
import type { DimensionOrTotal } from './dimensions';
import { UsageRollUp } from './usage-roll-up';

let prisma: PrismaClient;
let pool: Pool;
let tenant: InsertedTenant;

beforeAll(async () => {
  const { prisma: opened, url } = await openDatabase();
  prisma = opened;
  pool = createEventPool(url, recordingLogger([]));
});
beforeEach(async () => {
  tenant = await insertTenant(prisma);
});
afterAll(() => pool.end());

const hour = 3_600_000;
/** Yesterday, when it begins (UTC). */
const yesterday = Math.floor(Date.now() / (24 * hour)) * 24 * hour - 24 * hour;

/** A session of a viewer that starts so many hours after the beginning of yesterday. */
const session = (subject: string, hours: number, environmentId = tenant.environmentId) =>
  toldSession(environmentId, { subject, startedAt: (yesterday + hours * hour) * 1000 });

/** The start, as one that gives the viewer so many streams. */
const startWith = (streams: number, ...of: Parameters<typeof session>): SlotEvent =>
  ({ ...started(session(...of)), activeSessions: streams }) as SlotEvent;

async function store(at: number, ...events: SlotEvent[]): Promise<void> {
  await inTransaction(pool, (client) => storeSlotEvents(client, events));
  await new UsageRollUp({ pool, now: () => new Date(at) }).run();
}

const close = (at: number) => new UsageClosings({ pool, now: () => new Date(at) }).run();

async function read(interval: UsageInterval, dimension: DimensionOrTotal = '', scopeId = tenant.environmentId) {
  const day = new Date(yesterday);
  const from = interval === 'month' ? new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth())) : day;
  const query = { scopeId, dimension, interval, from, largest: 10 };
  const { rows } = await readUsage(prisma, {
    ...query,
    to: new Date(yesterday + 48 * hour),
    now: new Date(yesterday + 48 * hour),
  });
  return rows;
}

test('the viewers of an hour, a day and a month are counted once it is over, each of them once', async () => {
  const ada = randomUUID();
  await store(
    yesterday + 3 * hour,
    ended(session(ada, 1)),
    ended(session(ada, 1.5)),
    ended(session(ada, 2)),
    ended(session(randomUUID(), 2.5)),
  );
  await close(yesterday + 3 * hour);
  expect((await read('hour')).map(({ activeViewers }) => activeViewers)).toEqual([null, null]);
  await close(yesterday + 3 * hour + 61_000);
  expect((await read('hour')).map(({ activeViewers }) => activeViewers)).toEqual([1, 2]);
  expect(await read('day')).toMatchObject([{ startedSessions: 4, activeViewers: null }]);
  await close(yesterday + 24 * hour + 61_000);
  expect(await read('day')).toMatchObject([{ activeViewers: 2 }]);
  expect(await read('day', 'contentId')).toMatchObject([{ value: 'lesson-0042', activeViewers: 2 }]);
  expect(await read('month')).toMatchObject([{ startedSessions: 4, activeViewers: 2 }]);
  expect(await read('month', 'contentId')).toMatchObject([{ startedSessions: 4, activeViewers: null }]);
});

test('an hour is counted again when one of its events comes a day late', async () => {
  await store(yesterday + 2 * hour, ended(session(randomUUID(), 1)));
  await close(yesterday + 3 * hour);
  await store(yesterday + 26 * hour, ended(session(randomUUID(), 1)));
  expect(await read('hour')).toMatchObject([{ startedSessions: 2, activeViewers: 1 }]);
  await close(yesterday + 26 * hour + 61_000);
  expect(await read('hour')).toMatchObject([{ startedSessions: 2, activeViewers: 2 }]);
});

test('the same subject in two environments is two viewers of the organization', async () => {
  const { projectId, organizationId } = tenant;
  const other = await prisma.environment.create({
    data: { projectId, kind: 'staging', name: 'Staging', maximumConcurrentStreams: 3 },
  });
  await store(yesterday + 2 * hour, ended(session('ada', 1)), ended(session('ada', 1, other.id)));
  await close(yesterday + 26 * hour);
  expect(await read('hour', '', organizationId)).toMatchObject([{ activeViewers: 2 }]);
  expect(await read('month', '', organizationId)).toMatchObject([{ activeViewers: 2 }]);
});

test('an hour that is over tells how long its sessions lasted, and how many streams its viewers had at once', async () => {
  await store(
    yesterday + 2 * hour,
    startWith(1, 'ada', 1),
    startWith(2, 'ada', 1.1),
    startWith(12, 'bob', 1.2),
    ended(session('cyd', 1), 'released', 60),
    ended(session('cyd', 1), 'released', 61),
    ended(session('cyd', 0.1), 'released', 5 * 3600),
  );
  await close(yesterday + 26 * hour);
  const [first, second, , , , last] = await read('hour');
  expect(first).toMatchObject({ durations: {}, viewersByStreams: { 1: 1 } });
  expect(second).toMatchObject({ durations: { 60: 1, 300: 1 }, viewersByStreams: { 1: 1, 2: 1, 10: 1 } });
  expect(last).toMatchObject({ durations: { more: 1 }, viewersByStreams: {} });
  expect(await read('month')).toMatchObject([{ durations: { 60: 1, 300: 1, more: 1 }, viewersByStreams: null }]);
});
