import type { ClientBase } from 'pg';
import { countedTypes } from '../events/usage-notes';
import { columnOf, countedEvents, limits, type OrganizationScope, parametersOf, selectEvents } from './counted-events';
import { type DimensionOrTotal, dimensions } from './dimensions';

const minuteMilliseconds = 60_000;

/** The start of each session is an event, and its minute is computed first. */
const takingTypes = countedTypes.filter((type) => type !== 'session.ended');

/** Takes values while there is room for more. A value that found no room never finds any, so a session never changes its group. */
const takeValues = `
  WITH selected AS (
    SELECT DISTINCT environment_id, day, ${limits.map(([dimension]) => columnOf[dimension]).join(', ')}
    FROM (${selectEvents(takingTypes)}) AS selected),
  wanted AS (
    SELECT DISTINCT environment_id, day, dimension, most, value
    FROM selected CROSS JOIN LATERAL (VALUES
      ${limits.map(([dimension, most]) => `('${dimension}', ${most}, ${columnOf[dimension]})`).join(', ')}
    ) AS each(dimension, most, value)
    WHERE value IS NOT NULL AND NOT EXISTS (SELECT FROM usage_value AS taken
      WHERE (taken.environment_id, taken.day, taken.dimension, taken.value) = (selected.environment_id, selected.day, each.dimension, each.value)
        AND taken.environment_id = ANY ($1::uuid[])))
  INSERT INTO usage_value (environment_id, day, dimension, value)
  SELECT environment_id, day, dimension, unnest(wanted.values[1:greatest(0, most - present)])
  FROM (
    SELECT environment_id, day, dimension, most, array_agg(value ORDER BY value) AS values
    FROM wanted GROUP BY environment_id, day, dimension, most) AS wanted
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS present FROM usage_value AS taken
    WHERE (taken.environment_id, taken.day, taken.dimension) = (wanted.environment_id, wanted.day, wanted.dimension)) AS taken`;

/** What is counted of an event, as the column `counts` names it. */
const nameOfEvent = `CASE type
  WHEN 'session.ended' THEN 'ended.' || (data->>'reason')
  WHEN 'session.refused' THEN 'refused.' || coalesce(data->>'code', '')
  WHEN 'license.issued' THEN 'issued.' || coalesce(data->>'backend', '')
  WHEN 'license.refused' THEN 'licenseRefused.' || coalesce(data->>'backend', '') END`;

/**
 * `change`: of the streams, as the microsecond of the minute, twice, and one more for a start. So changes are in the order of their events:
 * at the same microsecond, ends come first.
 */
const countedColumns = `scope_id, ${nameOfEvent} AS name, coalesce((data->>'count')::bigint, 1) AS number,
  CASE type WHEN 'session.started' THEN 2 * extract(microseconds FROM time)::int + 1
    WHEN 'session.ended' THEN 2 * extract(microseconds FROM time)::int END AS change`;

/** Each event of an environment also counts for its organization. */
const counted = `${countedEvents(countedTypes, countedColumns)}
  CROSS JOIN LATERAL (VALUES (selected.environment_id), (organization_id)) AS scope(scope_id)`;

/** Stores the rows of one dimension. The changes of a row are in an array, because sorting all rows would take most of the time. */
const storeDimension = (dimension: DimensionOrTotal, value = columnOf[dimension]): string => `
  INSERT INTO usage_minute (scope_id, dimension, time, value, started, ended, peak, area, counts)
  SELECT scope_id, '${dimension}', $5::timestamptz, value, started, changed - started, greatest(0, peak), coalesce(area, 0),
    coalesce(counts, '{}')
  FROM (
    SELECT scope_id, ${value} AS value, count(change) AS changed, count(change) FILTER (WHERE change % 2 = 1) AS started,
      sum((change % 2 * 2 - 1) * (60000000 - change / 2)::bigint) AS area, array_agg(change) FILTER (WHERE change IS NOT NULL) AS changes
    FROM counted GROUP BY scope_id, ${value}) AS total
  CROSS JOIN LATERAL (
    SELECT max(streams) AS peak
    FROM (SELECT sum(change % 2 * 2 - 1) OVER (ORDER BY change ROWS UNBOUNDED PRECEDING) AS streams
      FROM unnest(changes) AS each(change)) AS each) AS each
  LEFT JOIN (
    SELECT scope_id, value, jsonb_object_agg(name, number) AS counts
    FROM (SELECT scope_id, ${value} AS value, name, sum(number) AS number
      FROM counted WHERE name IS NOT NULL GROUP BY scope_id, ${value}, name) AS named
    GROUP BY scope_id, value) AS named USING (scope_id, value)
  ON CONFLICT (scope_id, dimension, time, value) DO UPDATE
  SET started = EXCLUDED.started, ended = EXCLUDED.ended, peak = EXCLUDED.peak, area = EXCLUDED.area, counts = EXCLUDED.counts`;

/** One statement for all dimensions, so that the events are read and unpacked once. */
const recompute = `
  WITH counted AS MATERIALIZED (${counted}),
  ${dimensions.map((dimension) => `${columnOf[dimension]}_stored AS (${storeDimension(dimension)})`).join(',\n  ')}
  ${storeDimension('')}`;

/**
 * Computes a minute of organizations from its events, whatever was computed before: an event that comes late or again spoils nothing.
 *
 * @param minute when it begins
 */
export async function recomputeMinute(
  client: ClientBase,
  minute: Date,
  organizations: readonly OrganizationScope[],
): Promise<void> {
  const parameters = parametersOf(organizations, minute, new Date(minute.getTime() + minuteMilliseconds));
  await client.query(takeValues, parameters);
  await client.query(recompute, parameters);
}
