import { randomUUID } from 'node:crypto';
import type { BoundedPool } from '../../database/connection-pool';
import { inTransaction } from '../../database/pool-transaction';
import { eventId } from '../../events/event-id';
import { createEventPool } from '../../events/event-pool';
import { type EventRow, insertEvents } from '../../events/event-rows';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { recordingLogger } from '../../testing/recording-logger';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';
import { storeEvent } from '../../testing/sessions';

let controlPlane: TestControlPlane;
let pool: BoundedPool;
let tenant: TestTenant;
let viewer: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  pool = createEventPool(controlPlane.databaseUrl, recordingLogger([]));
});
afterAll(() => pool.end());
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  viewer = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
  await controlPlane.prisma.eventGap.deleteMany();
});

const url = (path = '') => `/api/v1/management/environments/${tenant.development}/events${path}`;
const list = (query: object = {}) => controlPlane.api.get(url()).query(query).set(bearer(viewer));
const store = (event: Parameters<typeof storeEvent>[2] = {}, scopeId = tenant.development) =>
  storeEvent(controlPlane.prisma, scopeId, event);
const minute = (minute: number, milliseconds = 0) => new Date(Date.UTC(2026, 2, 1, 9, minute, 0, milliseconds));
const idsIn = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);

/** Reads all pages of two events, in this order. */
async function pages(query: object): Promise<string[][]> {
  const read: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await list({ limit: 2, ...query, cursor }).expect(200);
    if (page.body.items.length > 0) read.push(idsIn(page));
    if (page.body.nextCursor === null || page.body.items.length === 0) return read;
    cursor = page.body.nextCursor;
  }
}

test('events are listed newest first, page by page, whatever the order in which they were stored', async () => {
  const second = await store({ time: minute(2) });
  const first = await store({ time: minute(1) });
  const third = await store({ time: minute(3) });
  const earliest = await store({ time: minute(0) });
  expect(await pages({})).toEqual([
    [third, second],
    [first, earliest],
  ]);
});

test('in the order stored, each event is on one page, and a later one is on the page that the last cursor asks for', async () => {
  const ids = [await store({ time: minute(3) }), await store({ time: minute(1) }), await store({ time: minute(2) })];
  expect(await pages({ order: 'asc' })).toEqual([ids.slice(0, 2), ids.slice(2)]);
  const { body: end } = await list({ order: 'asc' }).expect(200);
  expect(await list({ order: 'asc', cursor: end.nextCursor }).expect(200)).toMatchObject({ body: { items: [] } });
  const late = await store({ time: minute(0) });
  expect(idsIn(await list({ order: 'asc', cursor: end.nextCursor }).expect(200))).toEqual([late]);
});

test('in the order stored, an event waits for those that got a number before it and are not committed', async () => {
  const row = (): EventRow => {
    const time = Date.now() * 1000;
    const data = { recordType: 'drmSystem', recordId: randomUUID(), changedFields: ['enabled'] };
    const other = { subject: null, sessionId: null, reservationId: null, contentId: null, data };
    return { time, id: eventId(time, randomUUID()), type: 'drm_system.changed', scopeId: tenant.development, ...other };
  };
  const [first, slow, fast, last] = [row(), row(), row(), row()];
  const storing = (...rows: EventRow[]) => inTransaction(pool, (client) => insertEvents(client, rows));
  await storing(first);
  const read: string[][] = [];
  let cursor: string | undefined;
  const poll = async () => {
    const page = await list({ order: 'asc', cursor }).expect(200);
    cursor = page.body.nextCursor;
    read.push(idsIn(page));
  };
  await inTransaction(pool, async (client) => {
    await insertEvents(client, [slow]);
    await storing(fast);
    await poll();
    await insertEvents(client, [last]);
    await poll();
  });
  await poll();
  expect(read).toEqual([[first.id], [], [slow.id, fast.id, last.id]]);
});

test('in the order stored, the time by which an event was stored is of no account', async () => {
  const ids = [await store({ storedAt: new Date(Date.now() + 3_600_000) }), await store({ storedAt: new Date() })];
  expect(idsIn(await list({ order: 'asc' }).expect(200))).toEqual(ids);
});

test('a list can be filtered by type, session, subject, content and time', async () => {
  const sessionId = randomUUID();
  const start = await store({ type: 'session.resumed', time: minute(1), sessionId, subject: 'a' });
  const end = await store({ time: minute(2), sessionId, subject: 'a', contentId: 'film' });
  const other = await store({ time: minute(3, 500), subject: 'b' });
  const ids = async (query: object) => idsIn(await list(query).expect(200));
  expect(await ids({ type: 'session.resumed' })).toEqual([start]);
  expect(await ids({ sessionId })).toEqual([end, start]);
  expect(await ids({ subject: 'b' })).toEqual([other]);
  expect(await ids({ contentId: 'film' })).toEqual([end]);
  expect(await ids({ from: minute(2).toISOString(), to: minute(3, 500).toISOString() })).toEqual([end]);
  expect(await ids({ subject: 'a', type: 'session.ended', order: 'asc' })).toEqual([end]);
});

test("the events of the project are among those of each environment, without an environment; another environment's are not", async () => {
  const ended = await store({ time: minute(1) });
  const blocked = await store({ type: 'end_user.blocked', time: minute(2) }, tenant.projectId);
  await store({}, tenant.production);
  const { body } = await list({ subject: 'viewer-17' }).expect(200);
  const { organizationId, projectId } = tenant;
  expect(body.items).toMatchObject([
    { id: blocked, organizationId, projectId, environmentId: null, data: { subject: 'viewer-17' } },
    { id: ended, organizationId, projectId, environmentId: tenant.development },
  ]);
  expect(await pages({ order: 'asc' })).toEqual([[ended, blocked]]);
});

test('an event is read by its id; one of another environment, and an id without a time, are not found', async () => {
  const id = await store();
  const get = (eventId: string) => controlPlane.api.get(url(`/${eventId}`)).set(bearer(viewer));
  expect((await get(id.toUpperCase()).expect(200)).body).toMatchObject({ id, type: 'session.ended' });
  expect((await get(await store({}, tenant.production)).expect(404)).body.detail).toBe('There is no such event.');
  await get(randomUUID()).expect(404);
});

test('gaps within the time of a page are shown with it, those that overlap as one', async () => {
  await store({ time: minute(1) });
  await store({ time: minute(30) });
  const gap = (list: string, from: Date, to: Date) => ({ list, from, to, count: 7n });
  await controlPlane.prisma.eventGap.createMany({
    data: [
      gap('slot-events:{1}', minute(10), minute(12)),
      gap('slot-events:{2}', minute(11), minute(13)),
      gap('slot-events:{0}', minute(10), minute(11)),
      gap('slot-events:{3}', minute(40), minute(41)),
    ],
  });
  const early = { from: minute(10).toISOString(), to: minute(13).toISOString(), maximumCount: 21 };
  const late = { from: minute(40).toISOString(), to: minute(41).toISOString(), maximumCount: 7 };
  expect((await list().expect(200)).body.gaps).toEqual([early, late]);
  expect((await list({ to: minute(35).toISOString() }).expect(200)).body.gaps).toEqual([early]);
  expect((await list({ limit: 1 }).expect(200)).body.gaps).toEqual([late]);
  // Between two pages, too.
  const { body: first } = await list({ order: 'asc', limit: 1 }).expect(200);
  expect(first.gaps).toEqual([]);
  expect((await list({ order: 'asc', cursor: first.nextCursor }).expect(200)).body.gaps).toEqual([early]);
});

test('of very many gaps a hundred are shown, of which the last one has all others', async () => {
  await store({ time: minute(1) });
  const data = Array.from({ length: 150 }, (_, index) => {
    const from = new Date(minute(2).getTime() + index * 2_000);
    return { list: `slot-events:{${index}}`, from, to: new Date(from.getTime() + 1_000), count: 2n };
  });
  await controlPlane.prisma.eventGap.createMany({ data });
  const { gaps } = (await list().expect(200)).body;
  expect(gaps).toHaveLength(100);
  expect(gaps[98]).toMatchObject({ maximumCount: 2 });
  expect(gaps[99]).toMatchObject({ maximumCount: 102, to: data.at(-1)?.to.toISOString() });
});

test.each([
  ['to', { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' }],
  ['cursor', { cursor: 'ZXZlbnRz' }],
  ['type', { type: 'session.renewed' }],
  ['order', { order: 'newest' }],
])('a list with an invalid %s is rejected by name', async (field, query) => {
  expect(Object.keys((await list(query).expect(400)).body.errors)).toEqual([field]);
});

test('the cursor of the other order is rejected', async () => {
  await store();
  const { body } = await list({ order: 'asc' }).expect(200);
  await list({ cursor: body.nextCursor }).expect(400);
});

test('a time range that begins before 1970 begins with the first event', async () => {
  const id = await store();
  expect(idsIn(await list({ from: '1969-01-01T00:00:00Z' }).expect(200))).toEqual([id]);
});
