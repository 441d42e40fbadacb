import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
let viewer: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  viewer = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
  await controlPlane.prisma.eventGap.deleteMany();
  await controlPlane.prisma.usageDirtyMinute.deleteMany();
});

const february = { from: '2026-02-01T00:00:00Z', to: '2026-03-01T00:00:00Z' };
const ask = (query: object = {}, path = `environments/${tenant.development}`) =>
  controlPlane.api
    .get(`/api/v1/management/${path}/usage`)
    .query({ ...february, ...query })
    .set(bearer(viewer));
const usage = async (query?: object, path?: string): Promise<ControlPlaneSchemas['UsageResponse']> =>
  (await ask(query, path).expect(200)).body;
const table = async (query: object): Promise<string> => {
  const { text, headers } = await ask(query).set('Accept', 'text/csv').expect(200);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  return text;
};

interface StoredDay {
  scopeId?: string;
  dimension?: string;
  value?: string;
  /** In February. */
  day?: number;
  level?: number;
  started?: number;
  ended?: number;
  peak?: number;
  /** Of streams. */
  seconds?: number;
  counts?: Record<string, number>;
  viewers?: number;
  durations?: Record<string, number>;
  viewersByStreams?: Record<string, number>;
}

/** Stores the usage of days of the environment. */
async function storeDays(...days: StoredDay[]): Promise<void> {
  const group = { dimension: '', value: '' };
  const data = days.map(({ day = 1, seconds = 0, ...stored }) => {
    const time = new Date(Date.UTC(2026, 1, day));
    return { scopeId: tenant.development, ...group, ...stored, time, area: seconds * 1_000_000 };
  });
  await controlPlane.prisma.usageDay.createMany({ data });
}

test('a time is answered in total and by interval: numbers are added, and peaks are not', async () => {
  const ends = { 'ended.released': 2, 'ended.expired': 1 };
  await storeDays({
    day: 1,
    started: 3,
    ended: 3,
    peak: 3,
    seconds: 90,
    counts: { ...ends, 'issued.axinom': 4 },
    viewers: 2,
  });
  await storeDays({
    day: 3,
    level: 1,
    started: 2,
    ended: 3,
    peak: 1,
    seconds: 10.5 - 86_400,
    counts: { 'ended.released': 3 },
    viewers: 2,
  });
  const { intervals, total, ...answer } = await usage();
  expect(answer).toMatchObject({ interval: 'day', groupBy: null, gaps: [], groups: [], omittedGroups: 0 });
  expect(intervals.map(({ start, peakConcurrentStreams: peak }) => [start, peak])).toEqual([
    ['2026-02-01T00:00:00.000Z', 3],
    ['2026-02-03T00:00:00.000Z', 2],
  ]);
  expect(total).toEqual({
    peakConcurrentStreams: 3,
    streamSeconds: 100.5,
    startedSessions: 5,
    endedSessions: { released: 5, expired: 1 },
    refusedSessions: {},
    licensesIssued: { axinom: 4 },
    licensesRefused: {},
    activeViewers: null, // somebody may have watched on both days
    durations: null,
    viewersByStreams: null,
  });
});

test('an organization has usage of its own, and nobody sees that of another', async () => {
  await storeDays({ scopeId: tenant.organizationId, started: 7, peak: 5 });
  await storeDays({ started: 3, peak: 3 });
  const { total } = await usage({}, `organizations/${tenant.organizationId}`);
  expect(total).toMatchObject({ startedSessions: 7, peakConcurrentStreams: 5 });
  const other = await createTenant(controlPlane);
  await ask({}, `organizations/${other.organizationId}`).expect(404);
  await ask({}, `environments/${other.development}`).expect(404);
});

test('nothing happened: all numbers are 0', async () => {
  const { total, intervals } = await usage();
  expect(intervals).toEqual([]);
  expect(total).toMatchObject({ peakConcurrentStreams: 0, streamSeconds: 0, startedSessions: 0, activeViewers: 0 });
});

test('a grouped answer has the 100 largest values by stream seconds, and says how many more there are', async () => {
  const films = Array.from({ length: 102 }, (_, index) => ({ value: `film-${index}`, seconds: index + 1, started: 1 }));
  await storeDays(...films.map((film) => ({ dimension: 'contentId', ...film })));
  await storeDays({ dimension: 'contentId', value: 'film-50', day: 2, seconds: 1_000, started: 1, ended: 1 });
  await storeDays({ dimension: 'drmSystem', value: 'widevine' });
  const { groups, omittedGroups } = await usage({ groupBy: 'contentId' });
  expect(groups).toHaveLength(100);
  expect(omittedGroups).toBe(2);
  expect(groups[0]).toMatchObject({ value: 'film-50', total: { streamSeconds: 1_051 } });
  expect(groups[0]?.intervals).toHaveLength(2);
  expect(groups[1]).toMatchObject({ value: 'film-101', total: { streamSeconds: 102, startedSessions: 1 } });
  const rows = (await table({ groupBy: 'contentId' })).trim().split('\r\n');
  expect(rows).toHaveLength(1 + 103); // a table has all of them
});

test('sessions without a value are in the group null', async () => {
  await storeDays({ dimension: 'clientPlatform', value: '', started: 1 });
  expect((await usage({ groupBy: 'clientPlatform' })).groups).toMatchObject([{ value: null }]);
  expect(await table({ groupBy: 'clientPlatform' })).toContain('\r\n2026-02-01T00:00:00.000Z,,0,');
});

test('a table has a row for each interval and value, and a column for each name that occurs', async () => {
  const group = { dimension: 'contentId', value: '=1+1' };
  await storeDays({ ...group, started: 2, peak: 2, seconds: 1.25, viewers: 1, counts: { 'ended.released': 2 } });
  await storeDays({ ...group, day: 2, counts: { 'refused.subject_blocked': 3, 'licenseRefused.axinom': 1 } });
  expect(await table({ groupBy: 'contentId' })).toBe(
    [
      'start,contentId,peakConcurrentStreams,streamSeconds,startedSessions,activeViewers,endedSessions,endedSessions.released,refusedSessions,refusedSessions.subject_blocked,licensesIssued,licensesRefused,licensesRefused.axinom',
      "2026-02-01T00:00:00.000Z,'=1+1,2,1.25,2,1,2,2,0,0,0,0,0",
      "2026-02-02T00:00:00.000Z,'=1+1,0,0,0,0,0,0,3,3,0,1,1",
      '',
    ].join('\r\n'),
  );
});

test('an answer is complete until the oldest minute that is not counted yet', async () => {
  expect(Date.parse((await usage()).completeUntil ?? '')).toBeLessThanOrEqual(controlPlane.clock.now.getTime());
  const minute = new Date('2026-02-27T10:15:00.000Z');
  await controlPlane.prisma.usageDirtyMinute.create({ data: { environmentId: tenant.development, minute } });
  expect((await usage()).completeUntil).toBe(minute.toISOString());
});

test('an answer says from which times within it events are missing', async () => {
  const gap = { from: new Date('2026-02-10T10:00:00.000Z'), to: new Date('2026-02-10T10:05:00.000Z') };
  await controlPlane.prisma.eventGap.create({ data: { ...gap, list: 'slot-events:{1}', count: 12 } });
  expect((await usage()).gaps).toEqual([{ from: gap.from.toISOString(), to: gap.to.toISOString(), maximumCount: 12 }]);
  const until = await usage({ from: '2026-02-10T10:05:00Z', to: '2026-02-10T10:06:00Z', interval: 'minute' });
  expect(until.gaps).toHaveLength(1);
  expect((await usage({ to: '2026-02-10T00:00:00Z' })).gaps).toEqual([]);
});

test.each([
  ['from after to', { from: '2026-02-02T00:00:00Z', to: '2026-02-01T00:00:00Z' }, 'to'],
  ['no time at all', { from: undefined }, 'from'],
  ['minutes of a month', { interval: 'minute' }, 'to'],
  ['an unknown interval', { interval: 'week' }, 'interval'],
  ['an unknown grouping', { groupBy: 'subject' }, 'groupBy'],
  ['two groupings', { groupBy: ['contentId', 'drmSystem'] }, 'groupBy'],
  ['a local time', { from: '2026-02-01T00:00:00' }, 'from'],
])('%s: refused, with the name of the field', async (_, query, field) => {
  const { body } = await ask(query).expect(400);
  expect(body).toMatchObject({ code: 'invalid_request' });
  expect(Object.keys(body.errors)).toEqual([field]);
});

test('an offset in from and to is understood', async () => {
  const query = { from: '2026-02-03T00:30:00+01:00', to: '2026-02-03T00:30:00-01:00' };
  expect(await usage(query)).toMatchObject({ from: '2026-02-02T00:00:00.000Z', to: '2026-02-04T00:00:00.000Z' });
});

test('durations and the streams of viewers are known of a day that is over, and durations can be added', async () => {
  const known = { durations: { '60': 2, more: 1 }, viewersByStreams: { '1': 2, '2': 1 } };
  await storeDays({ day: 1, started: 3, ended: 3, viewers: 3, ...known });
  expect((await usage()).total).toMatchObject({ activeViewers: 3, ...known });
  await storeDays({ day: 2, started: 1, ended: 1, viewers: 1, durations: { '60': 1 }, viewersByStreams: { '1': 1 } });
  const twoDays = { activeViewers: null, durations: { '60': 3, more: 1 }, viewersByStreams: null };
  expect((await usage()).total).toMatchObject(twoDays);
  const [header, first] = (await table({})).split('\r\n');
  expect(header).toMatch(/,durations\.60,durations\.more,viewersByStreams\.1,viewersByStreams\.2$/);
  expect(first).toMatch(/,2,1,2,1$/);
});

test('a table with too many rows is refused with what to do; one below that is read in portions, without a row twice', async () => {
  const { prisma } = controlPlane;
  await prisma.$executeRaw`
    INSERT INTO usage_day (scope_id, dimension, time, value, started)
    SELECT ${tenant.development}::uuid, 'contentId', day, 'film-' || film, 1
    FROM generate_series('2026-02-01T00:00:00Z'::timestamptz, '2026-02-03T00:00:00Z', '1 day') AS day, generate_series(1, 1800) AS film`;
  const three = { groupBy: 'contentId', to: '2026-02-04T00:00:00Z' };
  const rows = (await table(three)).trim().split('\r\n').slice(1);
  expect(rows).toHaveLength(3 * 1_800);
  expect(new Set(rows).size).toBe(rows.length);
  const { body } = await ask({ groupBy: 'contentId' }).set('Accept', 'text/csv').expect(400);
  expect(body.errors.groupBy).toEqual([expect.stringContaining('1800 values in 28 intervals are more than')]);
  const months = (await table({ groupBy: 'contentId', interval: 'month' })).trim().split('\r\n').slice(1);
  expect(months).toHaveLength(1_800);
  expect(months[0]).toBe('2026-02-01T00:00:00.000Z,film-1,0,0,3,,0,0,0,0');
});
