import { randomUUID } from 'node:crypto';
import { inTransaction } from '../database/pool-transaction';
import { eventId } from '../events/event-id';
import type { EventRow } from '../events/event-rows';
import { readUsage } from '../stores/usage';
import { readOldestUncountedMinute } from '../stores/usage-completeness';
import { eventually } from '../testing/eventually';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { ended, eventSession, started } from '../testing/slot-events';
import { firstDay, hour, UsageStoring } from '../testing/usage-storing';
import { waitsForLocks } from '../testing/waits-for-locks';
import { removeOldUsage } from './usage-retention';

let storing: UsageStoring;
let tenant: InsertedTenant;

beforeAll(async () => {
  storing = await UsageStoring.open();
});
beforeEach(async () => {
  tenant = await insertTenant(storing.prisma);
});

const seconds = 1_000_000;
/** Yesterday at ten, in microseconds since 1970. */
const ten = (firstDay + 10 * hour) * 1000;
const later = firstDay + 12 * hour;

const session = (startedAt: number, details: Partial<ReturnType<typeof eventSession>['details']> = {}) => {
  const base = eventSession(tenant.environmentId, { startedAt });
  return { ...base, details: { ...base.details, ...details } };
};

/** What became of a request, ten seconds after ten. */
function request(type: EventRow['type'], data: Record<string, unknown>): EventRow {
  const time = ten + 10 * seconds;
  const common = { subject: null, sessionId: null, reservationId: null, contentId: 'lesson-0042' };
  return { time, id: eventId(time, randomUUID()), type, scopeId: tenant.environmentId, ...common, data };
}

const peaks = async (interval: 'minute' | 'hour', at = later) =>
  (await storing.read(tenant.environmentId, interval, '', at)).map(({ time, peakConcurrentStreams }) => [
    (time.getTime() - firstDay) / 60_000,
    peakConcurrentStreams,
  ]);

test('an event that comes late, or again, changes its minute and all that follows, and nothing else', async () => {
  const [first, second] = [session(ten), session(ten + 30 * seconds)];
  await storing.store(started(first), ended(first, 'released', 60));
  await storing.rollUp(later);
  const once = await storing.read(tenant.environmentId, 'minute');
  await storing.store(started(first), ended(first, 'expired', 90));
  await storing.rollUp(later);
  expect(await storing.read(tenant.environmentId, 'minute')).toEqual(once);
  await storing.store(ended(second, 'released', 3600));
  await storing.rollUp(firstDay + 34 * hour);
  const minutes = await peaks('minute');
  expect(minutes.slice(0, 3)).toEqual([
    [600, 2],
    [601, 2],
    [602, 1],
  ]);
  expect(minutes).toHaveLength(61);
  expect(await peaks('hour')).toEqual([
    [600, 2],
    [660, 1],
  ]);
  expect(await storing.read(tenant.environmentId, 'day')).toMatchObject([
    { startedSessions: 2, endedSessions: { released: 2 }, peakConcurrentStreams: 2, streamSeconds: 3660 },
  ]);
});

test('refusals and licenses are counted by code and backend, as often as they happened', async () => {
  const details = { contentType: 'vod', drmSystem: 'widevine', applicationId: 'app', clientPlatform: null };
  await storing.storeEvents(
    request('session.refused', { ...details, code: 'concurrent_stream_limit_reached', count: 3 }),
    request('session.refused', { ...details, code: 'concurrent_stream_limit_reached', count: 1 }),
    request('license.issued', { ...details, backend: 'axinom', count: 2 }),
    request('license.refused', { ...details, backend: 'clearkey', code: 'license_backend_refused', count: 1 }),
  );
  await storing.rollUp(later);
  const expected = {
    startedSessions: 0,
    streamSeconds: 0,
    refusedSessions: { concurrent_stream_limit_reached: 4 },
    licensesIssued: { axinom: 2 },
    licensesRefused: { clearkey: 1 },
  };
  for (const scopeId of [tenant.environmentId, tenant.organizationId]) {
    for (const interval of ['minute', 'hour', 'day', 'month'] as const) {
      expect(await storing.read(scopeId, interval)).toMatchObject([expected]);
    }
  }
  expect(await storing.read(tenant.environmentId, 'day', 'clientPlatform')).toMatchObject([{ value: '', ...expected }]);
  expect(await storing.read(tenant.environmentId, 'day', 'applicationId')).toMatchObject([
    { value: 'app', ...expected },
  ]);
});

test('what happened in the sandbox is not counted', async () => {
  const ordinary = session(ten);
  const inSandbox = { ...session(ten), subject: 'sandbox-license:subject_blocked', sandbox: true };
  await storing.store(started(ordinary), started(inSandbox), ended(ordinary), ended(inSandbox));
  const marked = { contentType: 'vod', drmSystem: 'widevine', code: 'subject_blocked', count: 1, sandbox: true };
  await storing.storeEvents(
    request('session.refused', marked),
    request('license.refused', { ...marked, backend: null }),
    request('license.issued', { ...marked, backend: 'axinom' }),
  );
  await storing.rollUp(firstDay + 34 * hour);
  for (const interval of ['minute', 'day'] as const) {
    expect(await storing.read(tenant.environmentId, interval)).toMatchObject([
      {
        startedSessions: 1,
        endedSessions: { released: 1 },
        peakConcurrentStreams: 1,
        streamSeconds: 12.5,
        refusedSessions: {},
        licensesIssued: {},
        licensesRefused: {},
      },
    ]);
  }
  const { environmentId } = tenant;
  const viewers = await storing.prisma.viewerDay.findMany({ where: { environmentId } });
  expect(viewers.map(({ subject }) => subject)).toEqual([ordinary.subject]);
});

test('of 201 applications, one is counted among the others, and stays there until its session ends', async () => {
  const applications = Array.from({ length: 201 }, (_, index) => `app-${1000 + index}`);
  const sessions = applications.map((applicationId) => session(ten, { applicationId }));
  await storing.store(...sessions.map(started));
  await storing.rollUp(later);
  // On the next day, the application that found no room is the first one.
  const next = session((firstDay + 24 * hour) * 1000, { applicationId: 'app-1200' });
  await storing.store(started(next), ended(next));
  await storing.rollUp(firstDay + 25 * hour);
  await storing.store(...sessions.map((each) => ended(each, 'released', 15 * 3600)));
  await storing.rollUp(firstDay + 30 * hour);
  const rows = await storing.read(tenant.environmentId, 'day', 'applicationId', firstDay + 30 * hour);
  expect(rows).toHaveLength(403);
  const others = rows.filter(({ value }) => value === '(other)');
  expect(others).toMatchObject([
    { startedSessions: 1, endedSessions: {}, streamSeconds: 14 * 3600 },
    { startedSessions: 0, endedSessions: { released: 1 }, streamSeconds: 3600 },
  ]);
  expect(rows.filter(({ value }) => value === 'app-1200')).toMatchObject([
    { startedSessions: 1, endedSessions: { released: 1 }, streamSeconds: 12.5 },
  ]);
});

test('of a session that ended before its start, because a clock was set back, no number is below 0', async () => {
  const late = session(ten);
  await storing.store(started(late));
  await storing.store(ended(late, 'released', -90));
  await storing.rollUp(later);
  const minutes = await storing.read(tenant.environmentId, 'minute');
  expect(minutes.map(({ peakConcurrentStreams, streamSeconds }) => [peakConcurrentStreams, streamSeconds])).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});

test('streams go on in hours in which nothing happens, also while no control plane runs', async () => {
  await storing.prisma.usageProgress.updateMany({ data: { carriedUntil: new Date(firstDay) } });
  await storing.store(started(session(ten)));
  await storing.rollUp(firstDay + 10.5 * hour);
  expect(await peaks('hour', firstDay + 11.1 * hour)).toEqual([
    [600, 1],
    [660, 1],
  ]);
  const other = session(ten + 5 * 3600 * seconds);
  await storing.store(started(other), ended(other));
  await storing.rollUp(firstDay + 15.5 * hour);
  expect(await peaks('hour', firstDay + 15.5 * hour)).toEqual([
    [600, 1],
    [660, 1],
    [720, 1],
    [780, 1],
    [840, 1],
    [900, 2],
  ]);
  const [row] = (await storing.read(tenant.environmentId, 'hour', '', firstDay + 15.5 * hour)).slice(-1);
  expect(row?.streamSeconds).toBe(1800 + 12.5);
});

test('a stream of which nobody heard in time is in all hours that follow, also in those that were carried before', async () => {
  for (const streams of [1, 2]) {
    await storing.store(started(session(ten)));
    await storing.rollUp(later + 1.5 * hour);
    expect((await peaks('hour', later + 1.5 * hour)).map(([, peak]) => peak)).toEqual(Array(4).fill(streams));
  }
});

test('an hour keeps its numbers when an event comes after minutes of contents were removed', async () => {
  const sessions = [0, 20, 40].map((minutes) => session(ten + minutes * 60 * seconds));
  await storing.store(...sessions.flatMap((each) => [started(each), ended(each)]));
  await storing.rollUp(later);
  const now = firstDay + 59 * hour;
  await removeOldUsage(storing.pool, async () => new Date(now));
  expect(await storing.read(tenant.environmentId, 'minute', 'contentId')).toEqual([]);
  expect(await storing.read(tenant.environmentId, 'minute')).toHaveLength(3);
  await storing.store(ended(session(ten + 50 * 60 * seconds)));
  await storing.rollUp(now);
  expect(await storing.read(tenant.environmentId, 'hour', 'contentId')).toMatchObject([{ startedSessions: 4 }]);
});

test('the last minutes that are kept begin with all streams of their hour', async () => {
  await storing.store(started(session(ten + 10 * 60 * seconds)), started(session(ten + 40 * 60 * seconds)));
  await storing.rollUp(later);
  const now = firstDay + 58.5 * hour; // 48 hours after half past ten
  await removeOldUsage(storing.pool, async () => new Date(now));
  const query = { scopeId: tenant.environmentId, interval: 'minute', largest: 1, now: new Date(now) } as const;
  const [from, to] = [new Date(firstDay + 10.5 * hour), new Date(firstDay + 11 * hour)];
  const { rows } = await readUsage(storing.prisma, { ...query, dimension: 'contentId', from, to });
  expect([rows.at(0), rows.at(-1)]).toMatchObject([{ peakConcurrentStreams: 1 }, { peakConcurrentStreams: 2 }]);
});

test('an hour that is not over is composed less often than its minutes, and is incomplete; at its end, immediately', async () => {
  const times = { now: firstDay + 10.5 * hour, monotonic: 0 };
  const rollUp = storing.rollUpBy({
    now: () => times.now,
    monotonicNow: () => {
      times.monotonic += 1_000; // as long as composing takes
      return times.monotonic;
    },
  });
  const { environmentId } = tenant;
  const peakOf = async (interval: 'minute' | 'hour' | 'day') =>
    Math.max(...(await storing.read(environmentId, interval, '', times.now)).map((row) => row.peakConcurrentStreams));
  const start = async (minutes: number, applicationId: string) => {
    await storing.store(started(session(ten + minutes * 60 * seconds, { applicationId })));
    await rollUp.run();
  };
  await start(0, 'first');
  expect([await peakOf('minute'), await peakOf('hour'), await peakOf('day')]).toEqual([1, 1, 1]);
  await start(5, 'second');
  expect([await peakOf('minute'), await peakOf('hour'), await peakOf('day')]).toEqual([2, 1, 1]);
  const applications = await storing.read(environmentId, 'minute', 'applicationId', times.now);
  expect(new Set(applications.map(({ value }) => value))).toEqual(new Set(['first', 'second']));
  const uncounted = (interval: 'minute' | 'hour') => readOldestUncountedMinute(storing.prisma, environmentId, interval);
  expect([await uncounted('minute'), await uncounted('hour')]).toEqual([null, new Date(ten / 1000 + 300_000)]);
  times.now = firstDay + 11.01 * hour;
  await rollUp.run();
  expect([await peakOf('minute'), await peakOf('hour'), await peakOf('day')]).toEqual([2, 2, 2]);
  await start(60, 'third');
  expect([await peakOf('minute'), await peakOf('hour')]).toEqual([3, 2]);
  times.monotonic += 60_000;
  await rollUp.run();
  expect([await peakOf('hour'), await peakOf('day'), await uncounted('hour')]).toEqual([3, 3, null]);
});

test('usage is removed when its time is over', async () => {
  const { environmentId } = tenant;
  await storing.store(ended(session(ten)));
  await storing.rollUp(later);
  const days = (count: number) => async () => new Date(firstDay + count * 24 * hour);
  const left = async () => ({
    minutes: await storing.prisma.usageMinute.count({ where: { scopeId: environmentId } }),
    hours: await storing.prisma.usageHour.count({ where: { scopeId: environmentId, started: 1 } }),
    viewers: await storing.prisma.viewerDay.count({ where: { environmentId } }),
    values: await storing.prisma.usageValue.count({ where: { environmentId } }),
  });
  expect(await left()).toEqual({ minutes: 6, hours: 6, viewers: 1, values: 3 });
  await removeOldUsage(storing.pool, days(36));
  expect(await left()).toEqual({ minutes: 0, hours: 6, viewers: 1, values: 3 });
  await removeOldUsage(storing.pool, days(63));
  expect(await left()).toEqual({ minutes: 0, hours: 6, viewers: 0, values: 0 });
  await removeOldUsage(storing.pool, days(401));
  expect(await left()).toEqual({ minutes: 0, hours: 0, viewers: 0, values: 0 });
});

test('what one control plane could not finish is done by the next', async () => {
  await storing.store(ended(session(ten)));
  await storing.prisma.$executeRaw`ALTER TABLE usage_day ADD CONSTRAINT broken CHECK (false) NOT VALID`;
  await expect(storing.rollUp(later)).rejects.toThrow('broken');
  await storing.prisma.$executeRaw`ALTER TABLE usage_day DROP CONSTRAINT broken`;
  await storing.rollUp(later);
  expect(await storing.read(tenant.environmentId, 'day')).toMatchObject([{ startedSessions: 1 }]);
  expect(await storing.prisma.usageDirtyMinute.count()).toBe(0);
});

test('while one control plane computes usage, others leave it the work', async () => {
  await storing.store(ended(session(ten)));
  let first: Promise<void> | undefined;
  await inTransaction(storing.pool, async (client) => {
    await client.query('LOCK TABLE usage_day IN SHARE MODE');
    first = storing.rollUp(later);
    await eventually(async () => expect(await waitsForLocks(storing.prisma)).toBe(1));
    // Of the same minute: the first one has read its events already.
    await storing.store(ended(session(ten + seconds)));
    await storing.rollUp(later);
    expect(await storing.prisma.usageDirtyMinute.count()).toBe(2);
  });
  await first;
  await storing.rollUp(later);
  expect(await storing.read(tenant.environmentId, 'day')).toMatchObject([{ startedSessions: 2 }]);
});
