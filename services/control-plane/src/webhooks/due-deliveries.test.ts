import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { createEventPool } from '../events/event-pool';
import { type EventRow, insertEvents } from '../events/event-rows';
import type { PrismaClient } from '../generated/prisma/client';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { insertEndpoint, storableEvent } from '../testing/webhook-endpoints';
import { DeliveryResults } from './delivery-results';
import { DueDeliveries, type DueDelivery } from './due-deliveries';
import { findDueEndpoints } from './due-endpoints';
import { type DueRange, everyDay, recentDays } from './due-range';
import { advanceReplays } from './replays';

let prisma: PrismaClient;
let pool: BoundedPool;
let tenant: InsertedTenant;
let endpointId: string;

beforeAll(async () => {
  const database = await openDatabase();
  prisma = database.prisma;
  pool = createEventPool(database.url, recordingLogger([]));
});
beforeEach(async () => {
  await prisma.webhookDelivery.deleteMany();
  tenant = await insertTenant(prisma);
  endpointId = await insertEndpoint(prisma, tenant.projectId);
});
afterAll(async () => {
  await pool.end();
});

async function store(...events: EventRow[]): Promise<string[]> {
  await inTransaction(pool, (client) => insertEvents(client, events));
  return events.map(({ id }) => id);
}
const event = (changes: Partial<EventRow> = {}, milliseconds = 0) =>
  storableEvent(tenant.environmentId, changes, milliseconds);
const change = (eventId: string, data: Parameters<typeof prisma.webhookDelivery.updateMany>[0]['data']) =>
  prisma.webhookDelivery.updateMany({ where: { endpointId, eventId }, data });
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);
const findDue = (most = 100, known: string[] = [], endpoint = endpointId): Promise<DueDelivery[]> =>
  new DueDeliveries(pool).next({ endpointId: endpoint, most, known, range: everyDay });
async function dueIds(...wanted: Parameters<typeof findDue>): Promise<string[]> {
  const due = await findDue(...wanted);
  return due.map(({ eventId }) => eventId);
}
/** What is due, which must be one delivery: with results of another time, the suite would wait for ever. */
async function onlyDue(): Promise<DueDelivery> {
  const [due, ...others] = await findDue();
  if (due === undefined || others.length > 0) throw new Error('not one delivery is due');
  return due;
}
const statuses = async () => {
  const deliveries = await prisma.webhookDelivery.findMany({ where: { endpointId }, orderBy: { eventId: 'asc' } });
  return deliveries.map(({ status }) => status);
};

test('what has been due longest comes first, but new events before replays, and nothing before its time', async () => {
  const [replay = '', later = '', older = '', newer = ''] = await store(event(), event(), event(), event());
  await change(replay, { isReplay: true, nextAttemptAt: ago(60_000) });
  await change(later, { nextAttemptAt: new Date(Date.now() + 60_000) });
  await change(older, { nextAttemptAt: ago(20_000) });
  await change(newer, { nextAttemptAt: ago(10_000) });
  expect(await dueIds()).toEqual([older, newer, replay]);
  expect(await dueIds(2)).toEqual([older, newer]);
  expect(await dueIds(2, [older])).toEqual([newer, replay]);
});

test('endpoints that ask at the same time get their own deliveries', async () => {
  const other = await insertEndpoint(prisma, tenant.projectId, { types: ['session.ended'] });
  const [started, ended] = await store(event(), event({ type: 'session.ended' }));
  const due = new DueDeliveries(pool);
  const [first, ...together] = await Promise.all(
    [endpointId, other, endpointId].map((id) => due.next({ endpointId: id, most: 10, known: [], range: everyDay })),
  );
  const idsOf = (deliveries: typeof first = []) => deliveries.map(({ eventId }) => eventId).sort();
  expect(idsOf(first)).toEqual([started, ended].sort());
  expect(together.map(idsOf)).toEqual([[ended], [started, ended].sort()]);
});

test('what one endpoint has been given already is given to another one that asks at the same time', async () => {
  const other = await insertEndpoint(prisma, tenant.projectId);
  const [id = ''] = await store(event());
  const due = new DueDeliveries(pool);
  const ask = (endpoint: string, known: string[]) =>
    due.next({ endpointId: endpoint, most: 10, known, range: everyDay });
  const [, mine, others] = await Promise.all([ask(endpointId, []), ask(endpointId, [id]), ask(other, [])]);
  expect([mine, others].map((found) => found?.map(({ eventId }) => eventId))).toEqual([[], [id]]);
});

test('no more is read than each endpoint asks for, whatever others ask for at the same time', async () => {
  const other = await insertEndpoint(prisma, tenant.projectId);
  await store(...Array.from({ length: 20 }, () => event()));
  let rows = 0;
  const connect = async () => {
    const client = await pool.connect();
    const query = async (...statement: [string, unknown[]]) => {
      const result = await client.query(...statement);
      rows += result.rowCount ?? 0;
      return result;
    };
    return Object.assign(Object.create(client), { query, release: () => client.release() });
  };
  const due = new DueDeliveries(Object.assign(Object.create(pool), { connect }));
  const ask = (endpoint: string, most: number) => due.next({ endpointId: endpoint, most, known: [], range: everyDay });
  const found = await Promise.all([ask(endpointId, 1), ask(endpointId, 12), ask(other, 2)]);
  expect(found.map(({ length }) => length)).toEqual([1, 12, 2]);
  expect(rows).toBe(15);
});

test('endpoints at which something is due are found, the one that has waited longest first', async () => {
  const disabled = await insertEndpoint(prisma, tenant.projectId);
  const waiting = await insertEndpoint(prisma, tenant.projectId, { types: ['license.issued'] });
  const [issued = ''] = await store(event({ type: 'license.issued' }), event());
  await prisma.webhookEndpoint.update({ where: { id: disabled }, data: { enabled: false } });
  await prisma.webhookDelivery.updateMany({
    where: { endpointId: waiting, eventId: issued },
    data: { nextAttemptAt: ago(30_000), isReplay: true },
  });
  const found = await findDueEndpoints(pool, everyDay);
  expect(found.map(({ id }) => id)).toEqual([waiting, endpointId]);
  expect(found[0]?.dueSeconds).toBeGreaterThanOrEqual(30);
  await change(issued, { nextAttemptAt: null });
  await prisma.webhookDelivery.updateMany({
    where: { endpointId },
    data: { nextAttemptAt: new Date(Date.now() + 9_000) },
  });
  expect((await findDueEndpoints(pool, everyDay)).map(({ id }) => id)).toEqual([waiting]);
});

test('of recent days, only those deliveries are looked for whose events may still have attempts', async () => {
  const [yesterday = ''] = await store(event({}, 86_400_000));
  const due = async (range: DueRange) => {
    const deliveries = await new DueDeliveries(pool).next({ endpointId, most: 10, known: [], range });
    return [deliveries.map(({ eventId }) => eventId), (await findDueEndpoints(pool, range)).map(({ id }) => id)];
  };
  const tomorrow = Date.now() + 86_400_000;
  const found = [[yesterday], [endpointId]];
  expect(await due(everyDay)).toEqual(found);
  expect(await due(recentDays(Date.now(), []))).toEqual(found);
  expect(await due(recentDays(tomorrow + 3_600_000, []))).toEqual([[], []]);
  expect(await due(recentDays(tomorrow + 3_600_000, [3_600]))).toEqual(found);
});

test('a failure that is reported late does not undo a success', async () => {
  const [id = ''] = await store(event());
  const { time } = await onlyDue();
  const results = new DeliveryResults({ pool, onWritten: () => undefined, onFailed: () => undefined, random: () => 0 });
  const delivery = { endpointId, eventId: id, time, error: null, answer: null };
  await results.add({ ...delivery, outcome: 'delivered', pause: null, status: 200 });
  await results.add({ ...delivery, outcome: 'retried', pause: 0, status: 500 });
  expect(await statuses()).toEqual(['delivered']);
});

test('results that cannot be written are written later', async () => {
  const [id = ''] = await store(event());
  const { time } = await onlyDue();
  const failures: unknown[] = [];
  let isBroken = true;
  const connect = async () => {
    if (isBroken) throw new Error('no connection');
    return pool.connect();
  };
  const results = new DeliveryResults({
    pool: Object.assign(Object.create(pool), { connect }),
    onWritten: () => undefined,
    onFailed: (error) => {
      failures.push(error);
      isBroken = false;
    },
    random: () => 0,
  });
  const delivery = { endpointId, eventId: id, time, error: null, answer: null };
  await results.add({ ...delivery, outcome: 'delivered', pause: null, status: 200 });
  expect(failures).toHaveLength(1);
  expect(await statuses()).toEqual(['delivered']);
});

describe('a replay', () => {
  const replay = (data: { from?: number; types?: string[]; onlyFailed?: boolean } = {}) =>
    prisma.webhookReplay.create({
      data: {
        endpointId,
        from: ago(data.from ?? 3_600_000),
        to: new Date(),
        types: data.types ?? [],
        onlyFailed: data.onlyFailed ?? false,
      },
    });
  const advance = async () => {
    await advanceReplays(pool);
    return prisma.webhookReplay.count({ where: { endpointId } });
  };
  const ended = (status: 'delivered' | 'failed') => ({ status, attempts: 3, nextAttemptAt: null });

  test('makes everything due again that has ended, and what was not sent before, behind new events', async () => {
    await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    const [unsent = ''] = await store(event({}, 5_000));
    await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { enabled: true } });
    const [delivered = '', failed = '', waiting = ''] = await store(
      event({}, 4_000),
      event({}, 3_000),
      event({}, 2_000),
    );
    await store(event({}, 7_200_000));
    await prisma.webhookDelivery.updateMany({ where: { NOT: { eventId: waiting } }, data: ended('delivered') });
    await change(failed, ended('failed'));
    await replay();
    expect(await advance()).toBe(0);
    const [first, ...replayed] = await dueIds();
    expect(first).toBe(waiting);
    expect(replayed.sort()).toEqual([unsent, delivered, failed].sort());
    const again = { status: 'pending', attempts: 0, isReplay: true };
    expect(await prisma.webhookDelivery.findMany({ where: { eventId: delivered } })).toMatchObject([again]);
    expect(await prisma.webhookDelivery.findMany({ where: { eventId: waiting } })).toMatchObject([{ isReplay: false }]);
  });

  test('may name types, or only what has failed', async () => {
    const [started = '', endedEvent = '', failed = ''] = await store(
      event(),
      event({ type: 'session.ended' }),
      event(),
    );
    await prisma.webhookDelivery.updateMany({ data: ended('delivered') });
    await replay({ types: ['session.ended'] });
    expect(await advance()).toBe(0);
    expect(await dueIds()).toEqual([endedEvent]);
    await prisma.webhookDelivery.updateMany({ data: ended('delivered') });
    await change(failed, ended('failed'));
    await replay({ onlyFailed: true });
    expect(await advance()).toBe(0);
    expect(await dueIds()).toEqual([failed]);
    expect(started).not.toBe(failed);
  });

  test('takes long times in steps, and waits while many of its deliveries are due', async () => {
    const events = await store(...Array.from({ length: 2_500 }, (_, index) => event({}, index)));
    for (const onlyFailed of [false, true]) {
      await prisma.webhookDelivery.updateMany({ data: ended('failed') });
      await replay({ onlyFailed });
      const seen: string[] = [];
      for (let left = 1; left > 0; ) {
        left = await advance();
        expect(await advance()).toBe(left); // nothing was sent meanwhile
        const due = await dueIds(5_000);
        expect(due.length).toBeLessThanOrEqual(2_000);
        seen.push(...due);
        await prisma.webhookDelivery.updateMany({ where: { eventId: { in: due } }, data: ended('delivered') });
      }
      expect(seen.sort()).toEqual([...events].sort());
    }
  });

  test('of a disabled endpoint waits', async () => {
    await store(event());
    await prisma.webhookDelivery.updateMany({ data: ended('failed') });
    await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    await replay();
    expect(await advance()).toBe(1);
    await prisma.webhookReplay.deleteMany();
  });
});
