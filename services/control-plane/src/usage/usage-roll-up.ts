import type { ClientBase } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { noteClosing } from './closings';
import { beginHour, beginOf, type ComposedInterval, carryStreams, compose, millisecondsOf } from './compose';
import { type OrganizationScope, planForManyEvents } from './counted-events';
import type { Clock } from './database-clock';
import { recomputeMinute } from './recompute-minute';
import { isPartlyRemoved } from './usage-retention';

/** The advisory lock of those who recompute. */
const lockId = 1_702_259_572;

/** How many minutes one transaction recomputes. */
const minutesAtOnce = 10;

const minuteMilliseconds = 60_000;
const minutesOfHour = 60;

/** Composing what is not over rests for so many times what it took, and for a minute at most: with 1,000 contents, it takes 1.5 s. */
const restTimes = 40;
const longestRestMilliseconds = 60_000;

interface UsageRollUpOptions {
  pool: BoundedPool;
  clock: Clock;
  /** Monotonic milliseconds. */
  monotonicNow: () => number;
}

/** Minutes that are due: when each begins, in milliseconds since 1970, and of which organizations. */
type DueMinutes = Map<number, Map<string, OrganizationScope>>;

/** Recomputes the minutes in which something has changed, and what is composed of them. */
export class UsageRollUp {
  /** When what is not over is composed next. Monotonic milliseconds. */
  private composesAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: UsageRollUpOptions) {}

  /**
   * Recomputes what was noted until now, and composes the hours and days that are over, or whose turn it is. Any number of instances may
   * run at the same time: one of them works. Rejects if PostgreSQL is unavailable; what was not done is done the next time.
   */
  async run(): Promise<void> {
    const { pool, monotonicNow } = this.options;
    const since = monotonicNow();
    const composesAll = since >= this.composesAt;
    const last = await inTransaction(pool, lastNote);
    while (await inTransaction(pool, (client) => this.recomputeSome(client, last, composesAll)));
    const rest = Math.min(longestRestMilliseconds, restTimes * (monotonicNow() - since));
    if (composesAll) this.composesAt = monotonicNow() + rest;
  }

  /** Returns whether more may be due. `last`: the last note that is considered. */
  private async recomputeSome(client: ClientBase, last: string, composesAll: boolean): Promise<boolean> {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS taken', [lockId]);
    if (!rows[0]?.taken) return false;
    const now = await this.options.clock(client);
    const { due, isLast } = await takeDue(client, last, now);
    const composed = await takeUncomposed(client, composesAll ? 'infinity' : beginOf('hour', now).toISOString());
    await planForManyEvents(client);
    const minutes = [...due.keys()].sort((one, other) => one - other);
    for (const minute of minutes) {
      await recomputeMinute(client, new Date(minute), [...(due.get(minute) ?? new Map()).values()]);
    }
    const hours = intervalsOf('hour', composed);
    for (const [hour, organizations] of intervalsOf('hour', due)) {
      if (!hours.has(hour)) await beginHour(client, new Date(hour), minutes, scopeIdsOf([...organizations.values()]));
    }
    await this.composeAll(client, 'hour', hours, now);
    await this.composeAll(client, 'day', intervalsOf('day', hours), now);
    return !isLast;
  }

  private async composeAll(client: ClientBase, interval: ComposedInterval, due: DueMinutes, now: Date): Promise<void> {
    const times = [...due.keys()].sort((one, other) => one - other);
    const length = millisecondsOf[interval];
    const [first, last] = [times[0], times.at(-1)];
    // One ahead, so that an interval that has just begun has its row.
    const until = Math.max(beginOf(interval, now).getTime(), last ?? 0) + length;
    const carriedUntil = await advance(client, interval, until);
    if (first === undefined || last === undefined) return;
    for (const time of times) {
      const organizations = [...(due.get(time)?.values() ?? [])];
      await compose(client, interval, new Date(time), scopeIdsOf(organizations));
      await noteClosing(client, interval, new Date(time), organizations, now);
    }
    const scopeIds = scopeIdsOf([...due.values()].flatMap((organizations) => [...organizations.values()]));
    for (let time = first; time <= carriedUntil; time += length) {
      const changed = await carryStreams(client, interval, new Date(time), scopeIds);
      if (changed === 0 && time > last) return;
    }
  }
}

const scopeIdsOf = (organizations: readonly OrganizationScope[]): string[] => [
  ...new Set(organizations.flatMap(({ organizationId, environmentIds }) => [organizationId, ...environmentIds])),
];

async function lastNote(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ last: string }>(
    'SELECT coalesce(max(id), 0)::text AS last FROM usage_dirty_minute',
  );
  return rows[0]?.last ?? '0';
}

interface DueRow extends OrganizationScope {
  minute: Date;
}

/** SQL of the minutes that a query `taken` has, with the organizations of its environments. */
const takenMinutes = `
  SELECT minute, organization.id::text AS "organizationId",
    ARRAY(SELECT environment.id::text FROM environment JOIN project ON project.id = environment.project_id
      WHERE project.organization_id = organization.id) AS "environmentIds"
  FROM (SELECT DISTINCT taken.minute, project.organization_id AS id
    FROM taken JOIN environment ON environment.id = taken.environment_id JOIN project ON project.id = environment.project_id
  ) AS organization`;

/**
 * Takes the notes of the oldest minutes, and notes that their hours are to be composed. Notes of transactions that are not committed yet
 * are left for the next time.
 */
async function takeDue(client: ClientBase, last: string, now: Date): Promise<{ due: DueMinutes; isLast: boolean }> {
  const { rows } = await client.query<DueRow>(
    `WITH taken AS (
       DELETE FROM usage_dirty_minute WHERE NOT is_recomputed AND id <= $1::bigint AND minute IN (
         SELECT DISTINCT minute FROM usage_dirty_minute WHERE NOT is_recomputed AND id <= $1::bigint ORDER BY minute LIMIT $2)
       RETURNING environment_id, minute),
     noted AS (
       INSERT INTO usage_dirty_minute (environment_id, minute, is_recomputed)
       SELECT DISTINCT environment_id, minute, true FROM taken)
     ${takenMinutes}`,
    [last, minutesAtOnce],
  );
  const due: DueMinutes = new Map();
  for (const { minute, ...organization } of rows) {
    for (const time of minutesToRecompute(minute, now)) {
      due.set(time, (due.get(time) ?? new Map()).set(organization.organizationId, organization));
    }
  }
  return { due, isLast: new Set(rows.map(({ minute }) => minute.getTime())).size < minutesAtOnce };
}

/** Takes the notes of minutes that are recomputed, and whose hours are to be composed. `before`: only those of earlier minutes. */
async function takeUncomposed(client: ClientBase, before: string): Promise<DueMinutes> {
  const { rows } = await client.query<DueRow>(
    `WITH taken AS (
       DELETE FROM usage_dirty_minute WHERE is_recomputed AND minute < $1::timestamptz RETURNING environment_id, minute)
     ${takenMinutes}`,
    [before],
  );
  const uncomposed: DueMinutes = new Map();
  for (const { minute, ...organization } of rows) {
    const time = minute.getTime();
    uncomposed.set(time, (uncomposed.get(time) ?? new Map()).set(organization.organizationId, organization));
  }
  return uncomposed;
}

/** All minutes of its hour if some of them may be removed already, from which the hour is composed. */
function minutesToRecompute(minute: Date, now: Date): number[] {
  if (!isPartlyRemoved(minute, now)) return [minute.getTime()];
  const hour = beginOf('hour', minute).getTime();
  return Array.from({ length: minutesOfHour }, (_, index) => hour + index * minuteMilliseconds);
}

/** The intervals in which times are, with the organizations of these times. */
function intervalsOf(interval: ComposedInterval, due: DueMinutes): DueMinutes {
  const intervals: DueMinutes = new Map();
  for (const [time, organizations] of due) {
    const begin = beginOf(interval, new Date(time)).getTime();
    intervals.set(begin, new Map([...(intervals.get(begin) ?? []), ...organizations]));
  }
  return intervals;
}

/** Carries streams of everything that is counted into the intervals that have begun since the last time. Returns until when they are. */
async function advance(client: ClientBase, interval: ComposedInterval, until: number): Promise<number> {
  const { rows } = await client.query<{ carriedUntil: Date }>(
    'SELECT carried_until AS "carriedUntil" FROM usage_progress WHERE interval = $1',
    [interval],
  );
  const from = rows[0]?.carriedUntil.getTime() ?? until;
  if (from >= until) return from;
  const length = millisecondsOf[interval];
  for (let time = from + length; time <= until; time += length) {
    await carryStreams(client, interval, new Date(time));
  }
  await client.query('UPDATE usage_progress SET carried_until = $2::timestamptz WHERE interval = $1', [
    interval,
    new Date(until).toISOString(),
  ]);
  return until;
}
