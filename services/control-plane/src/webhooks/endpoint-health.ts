import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';

/** How long all deliveries to an endpoint may fail. */
const patience = '5 days';

/** What has become of the last deliveries to some endpoints, by their ids. */
export interface NotedHealth {
  succeeded: readonly string[];
  failed: readonly string[];
}

/** Notes since when endpoints have been failing. Returns the ids of those that have been for five days. */
export async function noteHealth(pool: BoundedPool, { succeeded, failed }: NotedHealth): Promise<string[]> {
  if (succeeded.length + failed.length === 0) return [];
  return inTransaction(pool, async (client) => {
    await client.query(
      'UPDATE webhook_endpoint SET failing_since = NULL WHERE id = ANY($1::uuid[]) AND failing_since IS NOT NULL',
      [succeeded],
    );
    await client.query(
      'UPDATE webhook_endpoint SET failing_since = clock_timestamp() WHERE id = ANY($1::uuid[]) AND failing_since IS NULL',
      [failed],
    );
    const { rows } = await client.query<{ id: string }>(
      `SELECT id::text FROM webhook_endpoint
       WHERE id = ANY($1::uuid[]) AND enabled AND failing_since <= clock_timestamp() - interval '${patience}'`,
      [failed],
    );
    return rows.map(({ id }) => id);
  });
}
