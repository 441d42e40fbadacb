import type { DroppedEvents, UnreadEvents } from '@multi-drm/slots';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { type Column, rowsAs, timestampOf } from './bulk-rows';
import { latestTime } from './parsed-entries';

/** How long nothing must be dropped of a list until what is dropped then is another gap. */
const gapEndsMilliseconds = 10 * 60_000;

const columns: Column<DroppedEvents>[] = [
  { name: 'list', type: 'text', value: ({ list }) => list.key },
  { name: 'from_time', type: 'timestamptz', value: ({ from }) => timestampOf(from) },
  { name: 'to_time', type: 'timestamptz', value: ({ to }) => timestampOf(to) },
  { name: 'count', type: 'bigint', value: ({ count }) => count },
];

interface EventGapsOptions {
  pool: BoundedPool;
  unread: Pick<UnreadEvents, 'dropped' | 'forgetDropped'>;
  /** Monotonic milliseconds. */
  now: () => number;
}

/**
 * Stores what was dropped in Redis before it was read. Redis remembers it while more is dropped of the list, so that it stays one gap,
 * which grows. Any number of instances may store at the same time.
 */
export class EventGaps {
  /** Key of a list → what was dropped of it when that last changed, and when this was. */
  private readonly known = new Map<string, { gap: DroppedEvents; since: number }>();

  constructor(private readonly options: EventGapsOptions) {}

  /** Returns how many entries were dropped since the last call of any instance. Rejects if Redis or PostgreSQL is unavailable. */
  async store(): Promise<number> {
    const { unread, now } = this.options;
    const dropped = await unread.dropped();
    const changed = dropped.filter((gap) => !isEqual(gap, this.known.get(gap.list.key)?.gap));
    const added = await this.storeChanged(changed);
    for (const gap of changed) this.known.set(gap.list.key, { gap, since: now() });
    const ended = dropped.filter(
      ({ list }) => now() - (this.known.get(list.key)?.since ?? now()) >= gapEndsMilliseconds,
    );
    await Promise.all(ended.map((gap) => unread.forgetDropped(gap)));
    for (const { list } of ended) this.known.delete(list.key);
    return added;
  }

  private async storeChanged(changed: readonly DroppedEvents[]): Promise<number> {
    if (changed.length === 0) return 0;
    return inTransaction(this.options.pool, async (client) => {
      const { table, values } = rowsAs('given', columns, changed.map(storable));
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
  }
}

function isEqual(gap: DroppedEvents, other: DroppedEvents | undefined): boolean {
  return gap.count === other?.count && gap.from === other.from && gap.to === other.to;
}

/** The times come from entries that nobody has read: a wrong one must not keep the other gaps from being stored. */
function storable({ list, count, from, to }: DroppedEvents): DroppedEvents {
  const start = within(from, latestTime);
  return {
    list,
    count: within(count, Number.MAX_SAFE_INTEGER),
    from: start,
    to: Math.max(start, within(to, latestTime)),
  };
}

const within = (number: number, most: number): number =>
  Number.isNaN(number) ? 0 : Math.trunc(Math.min(Math.max(number, 0), most));
