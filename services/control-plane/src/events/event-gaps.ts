import type { DroppedEvents, UnreadEvents } from '@multi-drm/slots';
import type { Pool } from 'pg';
import { inTransaction } from '../database/pool-transaction';
import { type Column, rowsAs, timestampOf } from './bulk-rows';

const columns: Column<DroppedEvents>[] = [
  { name: 'list', type: 'text', value: ({ list }) => list.key },
  { name: 'from_time', type: 'timestamptz', value: ({ from }) => timestampOf(from) },
  { name: 'to_time', type: 'timestamptz', value: ({ to }) => timestampOf(to) },
  { name: 'count', type: 'bigint', value: ({ count }) => count },
];

/**
 * Stores what was dropped in Redis before it was read. Any number of instances may do so at once: while more is dropped of a list, its gap
 * begins at the same time and grows. Returns how many entries were dropped since the last call of any instance.
 */
export async function storeGaps(pool: Pool, unread: Pick<UnreadEvents, 'dropped' | 'forgetDropped'>): Promise<number> {
  const dropped = await unread.dropped();
  if (dropped.length === 0) return 0;
  const added = await inTransaction(pool, async (client) => {
    const { table, values } = rowsAs('told', columns, dropped);
    const before = await client.query<{ count: string }>(
      `SELECT coalesce(sum(event_gap.count), 0) AS count FROM event_gap JOIN ${table} USING (list, from_time)`,
      values,
    );
    const { rows } = await client.query<{ count: string }>(
      `INSERT INTO event_gap (list, from_time, to_time, count) SELECT * FROM ${table}
       ON CONFLICT (list, from_time) DO UPDATE
       SET to_time = greatest(event_gap.to_time, excluded.to_time), count = greatest(event_gap.count, excluded.count)
       RETURNING count`,
      values,
    );
    return rows.reduce((sum, { count }) => sum + Number(count), -Number(before.rows[0]?.count ?? 0));
  });
  await Promise.all(dropped.map((gap) => unread.forgetDropped(gap)));
  return added;
}
