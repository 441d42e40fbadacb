import { randomUUID } from 'node:crypto';
import type { SlotEvent } from '@multi-drm/slots';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { ended, eventSession, started } from '../testing/slot-events';
import { firstDay, hour, UsageStoring } from '../testing/usage-storing';
import { UsageClosings } from './closings';
import type { DimensionOrTotal } from './dimensions';

let storing: UsageStoring;
let tenant: InsertedTenant;

beforeAll(async () => {
  storing = await UsageStoring.open();
});
beforeEach(async () => {
  tenant = await insertTenant(storing.prisma);
});

/** When the month of the first day ends. */
const monthEnd = Date.UTC(new Date(firstDay).getUTCFullYear(), new Date(firstDay).getUTCMonth() + 1);

/** A session of a viewer that starts so many hours after the beginning of the first day. */
const session = (subject: string, hours: number, environmentId = tenant.environmentId) =>
  eventSession(environmentId, { subject, startedAt: (firstDay + hours * hour) * 1000 });

/** The start, as one that gives the viewer so many streams. */
const startWith = (streams: number, ...of: Parameters<typeof session>): SlotEvent =>
  ({ ...started(session(...of)), activeSessions: streams }) as SlotEvent;

async function store(at: number, ...events: SlotEvent[]): Promise<void> {
  await storing.store(...events);
  await storing.rollUp(at);
}

const close = (at: number) => new UsageClosings({ pool: storing.pool, clock: async () => new Date(at) }).run();

const read = (interval: 'hour' | 'day' | 'month', dimension: DimensionOrTotal = '', scopeId = tenant.environmentId) =>
  storing.read(scopeId, interval, dimension);

test('the viewers of an hour, a day and a month are counted once it is over, each of them once', async () => {
  const ada = randomUUID();
  await store(
    firstDay + 3 * hour,
    ended(session(ada, 1)),
    ended(session(ada, 1.5)),
    ended(session(ada, 2)),
    ended(session(randomUUID(), 2.5)),
  );
  await close(firstDay + 3 * hour);
  expect((await read('hour')).map(({ activeViewers }) => activeViewers)).toEqual([null, null]);
  await close(firstDay + 3 * hour + 61_000);
  expect((await read('hour')).map(({ activeViewers }) => activeViewers)).toEqual([1, 2]);
  expect(await read('day')).toMatchObject([{ startedSessions: 4, activeViewers: null }]);
  await close(firstDay + 24 * hour + 61_000);
  expect(await read('day')).toMatchObject([{ activeViewers: 2 }]);
  expect(await read('day', 'contentId')).toMatchObject([{ value: 'lesson-0042', activeViewers: 2 }]);
  await close(monthEnd + 59_000);
  expect(await read('month')).toMatchObject([{ startedSessions: 4, activeViewers: null }]);
  await close(monthEnd + 61_000);
  expect(await read('month')).toMatchObject([{ startedSessions: 4, activeViewers: 2 }]);
  expect(await read('month', 'contentId')).toMatchObject([{ startedSessions: 4, activeViewers: null }]);
});

test('an hour is counted again when one of its events comes a day late', async () => {
  await store(firstDay + 2 * hour, ended(session(randomUUID(), 1)));
  await close(firstDay + 3 * hour);
  await store(firstDay + 26 * hour, ended(session(randomUUID(), 1)));
  expect(await read('hour')).toMatchObject([{ startedSessions: 2, activeViewers: 1 }]);
  await close(firstDay + 26 * hour + 61_000);
  expect(await read('hour')).toMatchObject([{ startedSessions: 2, activeViewers: 2 }]);
});

test('a month in which nobody started has no viewers', async () => {
  await store(firstDay + 2 * hour, started(session('ada', 1)));
  await storing.prisma.usageDay.updateMany({
    where: { scopeId: tenant.environmentId },
    data: { level: 1, started: 0 },
  });
  expect(await read('month')).toMatchObject([{ startedSessions: 0, peakConcurrentStreams: 2, activeViewers: 0 }]);
});

test('the same subject in two environments is two viewers of the organization', async () => {
  const { projectId, organizationId } = tenant;
  const other = await storing.prisma.environment.create({
    data: { projectId, kind: 'staging', name: 'Staging', maximumConcurrentStreams: 3 },
  });
  await store(firstDay + 2 * hour, ended(session('ada', 1)), ended(session('ada', 1, other.id)));
  await close(monthEnd + 61_000);
  expect(await read('hour', '', organizationId)).toMatchObject([{ activeViewers: 2 }]);
  expect(await read('month', '', organizationId)).toMatchObject([{ activeViewers: 2 }]);
});

test('an hour that is over has how long its sessions lasted, and how many streams its viewers had at the same time', async () => {
  await store(
    firstDay + 2 * hour,
    startWith(1, 'ada', 1),
    startWith(2, 'ada', 1.1),
    startWith(12, 'bob', 1.2),
    ended(session('cyd', 1), 'released', 60),
    ended(session('cyd', 1), 'released', 61),
    ended(session('cyd', 0.1), 'released', 5 * 3600),
  );
  await close(firstDay + 26 * hour);
  const [first, second, , , , last] = await read('hour');
  expect(first).toMatchObject({ durations: {}, viewersByStreams: { 1: 1 } });
  expect(second).toMatchObject({ durations: { 60: 1, 300: 1 }, viewersByStreams: { 1: 1, 2: 1, 10: 1 } });
  expect(last).toMatchObject({ durations: { more: 1 }, viewersByStreams: {} });
  expect(await read('month')).toMatchObject([{ durations: { 60: 1, 300: 1, more: 1 }, viewersByStreams: null }]);
  await store(firstDay + 27 * hour, ended(session('dan', 26)));
  expect((await read('month')).at(-1)).toMatchObject({ durations: null }); // a day of it is not over
});

test('an hour whose viewers cannot be counted keeps no other hour from being counted, and is tried again', async () => {
  const broken = ended(session('ada', 1));
  await store(firstDay + 2 * hour, broken);
  const { environmentId } = tenant;
  const setData = (data: object) =>
    storing.prisma.event.updateMany({ where: { scopeId: environmentId, type: 'session.ended' }, data: { data } });
  await setData({ durationSeconds: 'long' });
  tenant = await insertTenant(storing.prisma);
  await store(firstDay + 2.1 * hour, ended(session('bob', 1)));
  await expect(close(firstDay + 4 * hour)).rejects.toThrow('invalid input syntax');
  expect(await read('hour')).toMatchObject([{ activeViewers: 1 }]);
  await setData({ durationSeconds: 10 });
  await close(firstDay + 4.2 * hour);
  expect(await read('hour', '', environmentId)).toMatchObject([{ activeViewers: 1 }]);
});
