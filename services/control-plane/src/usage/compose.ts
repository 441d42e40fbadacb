import type { ClientBase } from 'pg';
import { dimensionsAndTotal } from './dimensions';

/** An interval whose rows are composed of those of a shorter one. */
export type ComposedInterval = 'hour' | 'day';

export const millisecondsOf: Record<ComposedInterval, number> = { hour: 3_600_000, day: 86_400_000 };

const parts = {
  hour: { table: 'usage_hour', partTable: 'usage_minute', part: 'minute' },
  day: { table: 'usage_day', partTable: 'usage_hour', part: 'hour' },
} as const;

/** Returns the table of an interval's rows. */
export const tableOf = (interval: ComposedInterval): string => parts[interval].table;

/** Returns when the interval of a time begins. */
export function beginOf(interval: ComposedInterval, time: Date): Date {
  return new Date(time.getTime() - (time.getTime() % millisecondsOf[interval]));
}

/**
 * Composes an interval of scopes from its parts: the changes of streams add up, the peak is the highest of the parts' peaks, each on top of
 * the changes before it, and what has changed in a part lasts to the end of the interval.
 */
export async function compose(
  client: ClientBase,
  interval: ComposedInterval,
  time: Date,
  scopeIds: readonly string[],
): Promise<void> {
  const { table, partTable, part } = parts[interval];
  const parted = `SELECT * FROM ${partTable} WHERE scope_id = ANY ($1::uuid[]) AND dimension = ANY ($2::text[])
    AND time >= $3::timestamptz AND time < $3::timestamptz + interval '1 ${interval}'`;
  const names = 'scope_id, dimension, value';
  await client.query(
    `INSERT INTO ${table} (${names}, time, started, ended, peak, area, counts)
     SELECT ${names}, $3::timestamptz, started, ended, peak, area, coalesce(counts, '{}')
     FROM (
       SELECT ${names}, sum(started) AS started, sum(ended) AS ended, greatest(0, max(before + peak)) AS peak,
         sum(area + (started - ended) * remaining) AS area
       FROM (
         SELECT ${names}, started, ended, peak, area,
           coalesce(sum(started - ended) OVER (PARTITION BY ${names} ORDER BY time
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before,
           (extract(epoch FROM $3::timestamptz + interval '1 ${interval}' - time - interval '1 ${part}') * 1000000)::bigint AS remaining
         FROM (${parted}) AS part) AS part
       GROUP BY ${names}) AS total
     LEFT JOIN (
       SELECT ${names}, jsonb_object_agg(name, number) AS counts
       FROM (
         SELECT ${names}, name, sum(number::bigint) AS number
         FROM (${parted}) AS part CROSS JOIN LATERAL jsonb_each_text(counts) AS each(name, number)
         GROUP BY ${names}, name) AS named
       GROUP BY ${names}) AS named USING (${names})
     ON CONFLICT (scope_id, dimension, time, value) DO UPDATE
     SET started = EXCLUDED.started, ended = EXCLUDED.ended, peak = EXCLUDED.peak, area = EXCLUDED.area, counts = EXCLUDED.counts`,
    [scopeIds, dimensionsAndTotal, time.toISOString()],
  );
}

/**
 * Adds rows of an hour that is not composed yet, without which its minutes have no streams to begin with. `minutes`: those that were
 * recomputed, in milliseconds since 1970.
 */
export async function beginHour(
  client: ClientBase,
  hour: Date,
  minutes: readonly number[],
  scopeIds: readonly string[],
): Promise<void> {
  await client.query(
    `INSERT INTO usage_hour (scope_id, dimension, value, time)
     SELECT DISTINCT scope_id, dimension, value, $1::timestamptz FROM usage_minute
     WHERE scope_id = ANY ($2::uuid[]) AND dimension = ANY ($3::text[]) AND time = ANY ($4::timestamptz[])
       AND time >= $1::timestamptz AND time < $1::timestamptz + interval '1 hour'
     ON CONFLICT DO NOTHING`,
    [hour.toISOString(), scopeIds, dimensionsAndTotal, minutes.map((minute) => new Date(minute).toISOString())],
  );
}

/**
 * Has an interval begin with the streams with which the one before it ended. Adds rows of intervals in which nothing has happened yet.
 * `scopeIds`: undefined for all. Returns how many rows changed.
 */
export async function carryStreams(
  client: ClientBase,
  interval: ComposedInterval,
  to: Date,
  scopeIds?: readonly string[],
): Promise<number> {
  const { table } = parts[interval];
  const scopes = scopeIds === undefined ? '' : 'AND scope_id = ANY ($2::uuid[])';
  const { rowCount } = await client.query(
    `INSERT INTO ${table} (scope_id, dimension, value, time, level)
     SELECT scope_id, dimension, value, $1::timestamptz, coalesce(former.level, 0)
     FROM (SELECT scope_id, dimension, value, level + started - ended AS level FROM ${table}
       WHERE time = $1::timestamptz - interval '1 ${interval}' ${scopes}) AS former
     FULL JOIN (SELECT scope_id, dimension, value, level FROM ${table} WHERE time = $1::timestamptz ${scopes}) AS present
       USING (scope_id, dimension, value)
     WHERE coalesce(former.level, 0) <> coalesce(present.level, 0)
     ON CONFLICT (scope_id, dimension, time, value) DO UPDATE SET level = EXCLUDED.level`,
    [to.toISOString(), ...(scopeIds === undefined ? [] : [scopeIds])],
  );
  return rowCount ?? 0;
}
