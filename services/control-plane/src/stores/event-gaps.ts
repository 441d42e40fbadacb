import type { Database } from '../database/database';

/** A time from which events are missing, and how many at most. */
export interface EventGapRecord {
  from: Date;
  to: Date;
  count: bigint;
}

/** How many gaps an answer has at most. */
const maximumGaps = 100;

/**
 * The gaps of all lists that touch a time, by their start: those that overlap are one, and so are all from the hundredth on. undefined:
 * open.
 */
export async function listEventGaps(
  database: Database,
  { from, to }: { from: Date | undefined; to: Date | undefined },
): Promise<EventGapRecord[]> {
  return database.$queryRaw<EventGapRecord[]>`
    WITH touching AS (
      SELECT list, from_time, to_time, count,
        max(to_time) OVER (ORDER BY from_time, list ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM event_gap
      WHERE to_time >= coalesce(${from ?? null}::timestamptz, '-infinity')
        AND from_time <= coalesce(${to ?? null}::timestamptz, 'infinity')
    ), numbered AS (
      SELECT *, count(*) FILTER (WHERE before IS NULL OR before < from_time) OVER (ORDER BY from_time, list) AS number
      FROM touching
    )
    SELECT min(from_time) AS "from", max(to_time) AS "to", sum(count)::bigint AS count
    FROM numbered GROUP BY least(number, ${maximumGaps}) ORDER BY 1`;
}
