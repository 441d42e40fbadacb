import type { ClientBase } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { viewerDays } from '../events/usage-notes';
import type { Clock } from './database-clock';

const hourMilliseconds = 3_600_000;

/** How many hours minutes of contents are kept, which are many. */
const contentMinuteHours = 48;

/** What else is kept for how many days. Values and notes as long as a session, after which nothing changes any more. */
const removals = [
  { table: 'usage_minute', column: 'time', days: 35 },
  { table: 'usage_hour', column: 'time', days: 400 },
  { table: 'usage_day', column: 'time', days: 400 },
  { table: 'usage_month', column: 'time', days: 431 },
  { table: 'viewer_day', column: 'day', days: viewerDays },
  { table: 'usage_value', column: 'day', days: 40 },
] as const;

/** How many rows one statement removes. */
const rowsAtOnce = 20_000;

/** Removes usage that is older than it is kept, in parts: storing never waits for it. */
export async function removeOldUsage(pool: BoundedPool, clock: Clock): Promise<void> {
  const now = await inTransaction(pool, clock);
  await removeBefore(
    pool,
    'usage_minute',
    `dimension = 'contentId' AND time < $1::timestamptz`,
    hoursBefore(now, contentMinuteHours),
  );
  for (const { table, column, days } of removals) {
    await removeBefore(
      pool,
      table,
      column === 'day' ? `day < ($1::timestamptz AT TIME ZONE 'UTC')::date` : `time < $1::timestamptz`,
      hoursBefore(now, days * 24),
    );
  }
}

/** Whether minutes of the hour of a minute may be removed already. */
export function isPartlyRemoved(minute: Date, now: Date): boolean {
  // An hour earlier, because they may be removed while something is computed from them.
  return minute < hoursBefore(now, contentMinuteHours - 1);
}

/** The beginning of the hour: the streams with which a minute begins are those of its hour and what changed in all minutes since. */
function hoursBefore(now: Date, hours: number): Date {
  const before = now.getTime() - hours * hourMilliseconds;
  return new Date(before - (before % hourMilliseconds));
}

async function removeBefore(pool: BoundedPool, table: string, condition: string, before: Date): Promise<void> {
  const removeSome = async (client: ClientBase) =>
    client.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT $2))`,
      [before.toISOString(), rowsAtOnce],
    );
  while (((await inTransaction(pool, removeSome)).rowCount ?? 0) === rowsAtOnce);
}
