import type { Database } from '../database/database';
import { Prisma } from '../generated/prisma/client';
import type { DimensionOrTotal } from '../usage/dimensions';

export type UsageInterval = 'minute' | 'hour' | 'day' | 'month';

interface UsageQuery {
  /** The environment or organization. */
  scopeId: string;
  /** Of which dimension the values are; '': the total. */
  dimension: DimensionOrTotal;
  /** The beginning of an interval. */
  from: Date;
  /** Exclusive: the beginning of an interval. */
  to: Date;
  interval: UsageInterval;
  /** Of how many values there are rows: those with the most stream seconds. */
  largest: number;
  /** Of an interval that is not over, the seconds until now are counted. */
  now: Date;
}

/** Numbers by name, such as of ends by reason. What is 0 is missing. */
export type Counts = Record<string, number>;

/** What happened in an interval. */
export interface UsageRow {
  /** When it begins. */
  time: Date;
  /** Of the dimension; '': the total, or sessions without a value. */
  value: string;
  startedSessions: number;
  /** The most streams at the same time. */
  peakConcurrentStreams: number;
  /** With six decimals. */
  streamSeconds: number;
  /** By reason. */
  endedSessions: Counts;
  /** By code. */
  refusedSessions: Counts;
  /** Both by backend. */
  licensesIssued: Counts;
  licensesRefused: Counts;
  /** The viewers that started a session; null: not counted, or not yet. */
  activeViewers: number | null;
  /** How many sessions ended after up to so many seconds, or after more (`more`); null: not counted, or not yet. */
  durations: Counts | null;
  /** How many viewers had so many streams at the same time; null: not counted, or not yet. */
  viewersByStreams: Counts | null;
}

export interface Usage {
  /** By time, then by value. Intervals in which a value had no stream and nothing happened have no row. */
  rows: UsageRow[];
  /** How many values have no rows, because others are larger. */
  otherValues: number;
}

/** Returns what happened in a scope in each interval of a time. Intervals are those of UTC. */
export async function readUsage(database: Database, query: UsageQuery): Promise<Usage> {
  const { largest, now, interval } = query;
  const parts = partsOf(query);
  const ranked = await database.$queryRaw<{ value: string; values: number }[]>`
    SELECT value, count(*) OVER ()::int AS values FROM (${parts}) AS part WHERE ${isCounted(now)}
    GROUP BY value ORDER BY sum(${streamMicroseconds(now)}) DESC, sum(started) DESC, value LIMIT ${largest}`;
  // A clock that was set back may end a session before its start.
  const intervals = Prisma.sql`
    SELECT time, value, started, greatest(0, level + peak) AS streams,
      greatest(0, ${streamMicroseconds(now)})::float8 / 1000000 AS seconds,
      counts, viewers, durations, viewers_by_streams AS "viewersByStreams"
    FROM (${parts}) AS part WHERE ${isCounted(now)} AND value = ANY (${ranked.map(({ value }) => value)}::text[])`;
  const stored = await readRows(database, interval === 'month' ? monthsOf(intervals) : intervals);
  const rows = stored.map(usageRowOf);
  const otherValues = (ranked[0]?.values ?? 0) - ranked.length;
  return { rows: interval === 'month' ? await withViewers(database, query, rows) : rows, otherValues };
}

/** As one text: the client takes 70 µs to read a row, in which nobody else is answered. */
async function readRows(database: Database, found: Prisma.Sql): Promise<StoredRow[]> {
  const [answer] = await database.$queryRaw<{ rows: string }[]>`
    SELECT coalesce(json_agg(found ORDER BY time, value), '[]')::text AS rows FROM (${found}) AS found`;
  return JSON.parse(answer?.rows ?? '[]') as StoredRow[];
}

/** Of the rows in which nothing has happened, and of intervals that have not begun, nothing is returned. */
const isCounted = (now: Date): Prisma.Sql =>
  Prisma.sql`time < ${now}::timestamptz AND (level <> 0 OR started > 0 OR ended > 0 OR counts <> '{}')`;

/** The time of all streams together, until now: of an interval that is not over, what remains is taken away. */
const streamMicroseconds = (now: Date): Prisma.Sql => Prisma.sql`level::bigint * length + area
  - CASE WHEN time > ${now}::timestamptz - length * interval '1 microsecond' THEN (level + started - ended)
      * (length + (extract(epoch FROM time - ${now}::timestamptz) * 1000000)::bigint) ELSE 0 END`;

interface StoredRow {
  /** RFC 3339. */
  time: string;
  value: string;
  started: number;
  streams: number;
  seconds: number;
  counts: Counts;
  viewers: number | null;
  durations: Counts | null;
  viewersByStreams: Counts | null;
}

const minuteMicroseconds = 60_000_000;
const hourMicroseconds = 60 * minuteMicroseconds;
const dayMicroseconds = 24 * hourMicroseconds;

/** The stored rows of the intervals; of months, those of their days. `length`: of each, in microseconds. */
function partsOf({ scopeId, dimension, from, to, interval }: UsageQuery): Prisma.Sql {
  const where = Prisma.sql`WHERE scope_id = ${scopeId}::uuid AND dimension = ${dimension} AND time < ${to}::timestamptz`;
  // Where nothing has started, nobody was counted.
  const columns = Prisma.sql`time, value, level, started, ended, peak, area, counts,
    coalesce(viewers, CASE WHEN started = 0 THEN 0 END) AS viewers,
    CASE WHEN ended = 0 AND dimension = '' THEN '{}' ELSE durations END AS durations,
    CASE WHEN started = 0 AND dimension = '' THEN '{}' ELSE viewers_by_streams END AS viewers_by_streams`;
  if (interval === 'hour') {
    return Prisma.sql`SELECT ${columns}, ${hourMicroseconds}::bigint AS length FROM usage_hour ${where} AND time >= ${from}::timestamptz`;
  }
  if (interval !== 'minute') {
    return Prisma.sql`SELECT ${columns}, ${dayMicroseconds}::bigint AS length FROM usage_day ${where} AND time >= ${from}::timestamptz`;
  }
  // A minute begins with the streams of its hour and what has changed since.
  const sinceHour = Prisma.sql`${where} AND time >= date_trunc('hour', ${from}::timestamptz, 'UTC')`;
  return Prisma.sql`
    SELECT * FROM (
      SELECT minute.time, value,
        (level + sum(coalesce(started - ended, 0)) OVER before - coalesce(started - ended, 0))::int AS level,
        coalesce(started, 0) AS started, coalesce(ended, 0) AS ended, coalesce(peak, 0) AS peak, coalesce(area, 0) AS area,
        coalesce(counts, '{}') AS counts, NULL::int AS viewers, NULL::jsonb AS durations, NULL::jsonb AS viewers_by_streams,
        ${minuteMicroseconds}::bigint AS length
      FROM (SELECT time AS begin, value, level FROM usage_hour ${sinceHour}) AS hour
      CROSS JOIN LATERAL generate_series(begin, begin + interval '59 minutes', interval '1 minute') AS minute(time)
      LEFT JOIN (SELECT time, value, started, ended, peak, area, counts FROM usage_minute ${sinceHour}) AS changed USING (time, value)
      WINDOW before AS (PARTITION BY begin, value ORDER BY minute.time ROWS UNBOUNDED PRECEDING)) AS minute
    WHERE time >= ${from}::timestamptz AND time < ${to}::timestamptz`;
}

function usageRowOf({ time, value, started, streams, seconds, counts, viewers, ...histograms }: StoredRow): UsageRow {
  return {
    time: new Date(time),
    value,
    startedSessions: started,
    peakConcurrentStreams: streams,
    streamSeconds: seconds,
    endedSessions: namedIn(counts, 'ended.'),
    refusedSessions: namedIn(counts, 'refused.'),
    licensesIssued: namedIn(counts, 'issued.'),
    licensesRefused: namedIn(counts, 'licenseRefused.'),
    activeViewers: viewers,
    durations: histograms.durations,
    viewersByStreams: histograms.viewersByStreams,
  };
}

function namedIn(counts: Counts, prefix: string): Counts {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), count]] : [],
    ),
  );
}

/** Composes months of their days. Viewers of a month are not those of its days. */
const monthsOf = (days: Prisma.Sql): Prisma.Sql => Prisma.sql`
  WITH day AS MATERIALIZED (SELECT *, date_trunc('month', time, 'UTC') AS month FROM (${days}) AS day),
  named AS (
    SELECT month, value, kind, jsonb_object_agg(name, number) AS numbers
    FROM (
      SELECT month, value, kind, name, sum(number::bigint) AS number FROM day CROSS JOIN LATERAL (
        SELECT 'counts', * FROM jsonb_each_text(counts) UNION ALL SELECT 'durations', * FROM jsonb_each_text(durations)
      ) AS each(kind, name, number) GROUP BY month, value, kind, name) AS number
    GROUP BY month, value, kind)
  SELECT summed.*, coalesce(counted.numbers, '{}') AS counts, NULL::int AS viewers,
    CASE WHEN "hasDurations" THEN coalesce(lasted.numbers, '{}') END AS durations, NULL::jsonb AS "viewersByStreams"
  FROM (
    SELECT month AS time, value, sum(started) AS started, max(streams) AS streams, sum(seconds) AS seconds,
      count(durations) = count(*) AS "hasDurations"
    FROM day GROUP BY month, value) AS summed
  LEFT JOIN named AS counted ON counted.month = time AND counted.value = summed.value AND counted.kind = 'counts'
  LEFT JOIN named AS lasted ON lasted.month = time AND lasted.value = summed.value AND lasted.kind = 'durations'`;

/** The viewers of months are counted for the total only. */
async function withViewers(database: Database, query: UsageQuery, rows: UsageRow[]): Promise<UsageRow[]> {
  const viewers = query.dimension === '' ? await viewersOfMonths(database, query) : new Map<number, number>();
  return rows.map((row) => {
    const notCounted = row.startedSessions === 0 ? 0 : null;
    return { ...row, activeViewers: viewers.get(row.time.getTime()) ?? notCounted };
  });
}

async function viewersOfMonths(database: Database, { scopeId, from, to }: UsageQuery): Promise<Map<number, number>> {
  const rows = await database.usageMonth.findMany({ where: { scopeId, time: { gte: from, lt: to } } });
  return new Map(rows.map(({ time, viewers }) => [time.getTime(), viewers]));
}
