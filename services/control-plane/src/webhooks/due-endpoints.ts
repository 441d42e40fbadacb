import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import type { DueRange } from './due-range';

/** An endpoint that has deliveries to send. */
export interface DueEndpoint {
  id: string;
  organizationId: string;
  /** Whether a process holds its lease. */
  isLeased: boolean;
  /** How long the oldest of them has been due, in seconds. */
  dueSeconds: number;
}

const inRange = 'time >= $1::timestamptz AND time < $2::timestamptz AND next_attempt_at IS NOT NULL';

const oldest = (isReplay: boolean) => `(
  SELECT next_attempt_at FROM webhook_delivery
  WHERE endpoint_id = pending.endpoint_id AND is_replay = ${isReplay} AND ${inRange}
  ORDER BY next_attempt_at LIMIT 1
)`;

/**
 * Returns SQL of the ids of endpoints with deliveries that wait: from one endpoint to the next in the index, because an endpoint may have
 * many of them.
 */
export const pendingEndpoints = (condition: string): string => `
    (SELECT endpoint_id FROM webhook_delivery WHERE ${condition} ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT following.endpoint_id FROM pending CROSS JOIN LATERAL (
      SELECT endpoint_id FROM webhook_delivery
      WHERE ${condition} AND endpoint_id > pending.endpoint_id ORDER BY endpoint_id LIMIT 1
    ) AS following`;

const query = `WITH RECURSIVE pending AS (${pendingEndpoints(inRange)})
  SELECT pending.endpoint_id::text AS id, project.organization_id::text AS "organizationId",
    coalesce(endpoint.leased_until > clock_timestamp(), false) AS "isLeased", extract(epoch FROM now() - due.since)::double precision AS "dueSeconds"
  FROM pending
  JOIN webhook_endpoint AS endpoint ON endpoint.id = pending.endpoint_id AND endpoint.enabled AND endpoint.id <> ALL($3::uuid[])
  JOIN project ON project.id = endpoint.project_id
  CROSS JOIN LATERAL (SELECT least(${oldest(false)}, ${oldest(true)}) AS since) AS due
  WHERE due.since <= now()
  ORDER BY due.since`;

/** Returns the enabled endpoints with deliveries that are due, those that have waited longest first; without some of them. */
export async function findDueEndpoints(
  pool: BoundedPool,
  { from, to }: DueRange,
  without: readonly string[] = [],
): Promise<DueEndpoint[]> {
  const { rows } = await inTransaction(pool, (client) => client.query<DueEndpoint>(query, [from, to, without]));
  return rows;
}
