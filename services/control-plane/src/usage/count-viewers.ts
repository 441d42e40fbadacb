import type { ClientBase } from 'pg';
import { columnOf, countedEvents, type OrganizationScope, parametersOf, selectEvents } from './counted-events';
import { dimensionsAndTotal } from './dimensions';

/** The histogram of durations: sessions that ended after up to so many seconds. Longer ones are `more`. */
export const durationBounds = [60, 300, 900, 1_800, 3_600, 7_200, 14_400] as const;

/** The histogram of viewers by their streams goes so far: the last number includes more. */
export const maximumStreamsCounted = 10;

/** How many viewers each environment has, in total and by each value. */
const viewersByValue = `
  SELECT environment_id, dimension, value, count(*) AS viewers
  FROM (
    SELECT DISTINCT environment_id, subject, dimension, value
    FROM (${countedEvents(['session.started'], 'selected.environment_id, subject')}) AS counted
    CROSS JOIN LATERAL (VALUES ${dimensionsAndTotal.map((dimension) => `('${dimension}', ${columnOf[dimension]})`).join(', ')}
    ) AS each(dimension, value)) AS viewer
  GROUP BY environment_id, dimension, value`;

/** An organization's viewers are those of its environments: the same subject in two of them is not the same viewer. */
const updateViewers = (table: string): string => `
  WITH counted AS (${viewersByValue})
  UPDATE ${table} AS stored SET viewers = coalesce(counted.viewers, 0)
  FROM ${table} AS present LEFT JOIN (
    SELECT environment_id AS scope_id, dimension, value, viewers FROM counted
    UNION ALL SELECT $7::uuid, dimension, value, sum(viewers) FROM counted GROUP BY dimension, value
  ) AS counted USING (scope_id, dimension, value)
  WHERE present.scope_id = ANY ($1::uuid[] || $7::uuid) AND present.dimension = ANY ($8::text[]) AND present.time = $5::timestamptz
    AND (stored.scope_id, stored.dimension, stored.time, stored.value) = (present.scope_id, present.dimension, present.time, present.value)`;

const boundOfDuration = `CASE
  ${durationBounds.map((bound) => `WHEN (data->>'durationSeconds')::float8 <= ${bound} THEN '${bound}'`).join(' ')} ELSE 'more' END`;

/** Numbers by name of each environment, and of their organization, as a JSON object. */
const histogram = (counted: string): string => `
  SELECT scope_id, jsonb_object_agg(name, number) AS numbers
  FROM (
    SELECT scope_id, name, count(*) AS number
    FROM (${counted}) AS counted CROSS JOIN LATERAL (VALUES (environment_id), ($7::uuid)) AS scope(scope_id)
    GROUP BY scope_id, name) AS named
  GROUP BY scope_id`;

const durations = histogram(
  `SELECT environment_id, ${boundOfDuration} AS name FROM (${selectEvents(['session.ended'])}) AS selected`,
);

/** By the most streams that a viewer had with one of these starts. */
const viewersByStreams = histogram(
  `SELECT environment_id, least(${maximumStreamsCounted}, max(coalesce((data->>'activeSessions')::int, 1))) AS name
   FROM (${selectEvents(['session.started'])}) AS selected GROUP BY environment_id, subject`,
);

const updateHistograms = (table: string): string => `
  UPDATE ${table} AS stored
  SET durations = coalesce(duration.numbers, '{}'), viewers_by_streams = coalesce(streams.numbers, '{}')
  FROM unnest($1::uuid[] || $7::uuid) AS scope(scope_id)
  LEFT JOIN (${durations}) AS duration USING (scope_id) LEFT JOIN (${viewersByStreams}) AS streams USING (scope_id)
  WHERE stored.scope_id = scope.scope_id AND stored.dimension = '' AND stored.time = $5::timestamptz`;

/** Counts the viewers of an interval, and its histograms, from its events. `to`: exclusive. */
export async function countViewers(
  client: ClientBase,
  table: string,
  organization: OrganizationScope,
  from: Date,
  to: Date,
): Promise<void> {
  const parameters = parametersOf([organization], from, to);
  const { organizationId } = organization;
  await client.query(updateViewers(table), [...parameters, organizationId, dimensionsAndTotal]);
  await client.query(updateHistograms(table), [...parameters, organizationId]);
}

/** Counts the viewers of a month, which begins at a time, from those of its days. */
export async function countViewersOfMonth(
  client: ClientBase,
  { organizationId, environmentIds }: OrganizationScope,
  month: Date,
): Promise<void> {
  await client.query(
    `WITH counted AS (
       SELECT environment_id, count(*) AS viewers
       FROM (SELECT DISTINCT environment_id, subject FROM viewer_day
         WHERE environment_id = ANY ($1::uuid[]) AND day >= ($3::timestamptz AT TIME ZONE 'UTC')::date
           AND day < ($3::timestamptz AT TIME ZONE 'UTC')::date + interval '1 month') AS viewer
       GROUP BY environment_id)
     INSERT INTO usage_month (scope_id, time, viewers)
     SELECT environment_id, $3::timestamptz, viewers FROM counted
     UNION ALL SELECT $2::uuid, $3::timestamptz, coalesce(sum(viewers), 0) FROM counted
     ON CONFLICT (scope_id, time) DO UPDATE SET viewers = EXCLUDED.viewers`,
    [environmentIds, organizationId, month.toISOString()],
  );
}
