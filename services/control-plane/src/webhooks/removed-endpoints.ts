import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { pendingEndpoints } from './due-endpoints';

/** How many deliveries one statement ends. */
const endedAtOnce = 1_000;

const isPending = 'next_attempt_at IS NOT NULL';

const endSome = `WITH RECURSIVE pending AS (${pendingEndpoints(isPending)}),
  removed AS MATERIALIZED (
    SELECT delivery.endpoint_id, delivery.time, delivery.event_id
    FROM pending JOIN webhook_endpoint AS endpoint ON endpoint.id = pending.endpoint_id AND endpoint.removed_at IS NOT NULL
    CROSS JOIN LATERAL (
      SELECT endpoint_id, time, event_id FROM webhook_delivery
      WHERE endpoint_id = pending.endpoint_id AND ${isPending} LIMIT ${endedAtOnce}
    ) AS delivery LIMIT ${endedAtOnce}
  )
  UPDATE webhook_delivery AS delivery SET status = 'failed', next_attempt_at = NULL FROM removed
  WHERE delivery.endpoint_id = removed.endpoint_id AND delivery.time = removed.time AND delivery.event_id = removed.event_id`;

/**
 * Ends the deliveries to endpoints that were removed, which nobody sends any more: otherwise each look for what is due would pass by every
 * endpoint that was ever removed. Any number of processes may do so at the same time.
 */
export async function endDeliveriesOfRemoved(pool: BoundedPool): Promise<void> {
  while (((await inTransaction(pool, (client) => client.query(endSome))).rowCount ?? 0) === endedAtOnce);
}
