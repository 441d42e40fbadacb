import type { ClientBase } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { type ComposedInterval, millisecondsOf, tableOf } from './compose';
import { countViewers, countViewersOfMonth } from './count-viewers';
import { type OrganizationScope, planForManyEvents } from './counted-events';
import type { Clock } from './database-clock';

/** How long after an interval, or after its last change, its viewers are counted. */
const graceMilliseconds = 60_000;

/** When an interval is counted again whose viewers could not be counted. */
const postponedMilliseconds = 600_000;

/** The advisory lock of those who count viewers. */
const lockId = 1_702_259_573;

/** How many intervals one run closes. */
const maximumClosings = 500;

/** An interval whose viewers are counted. Those of a month are not those of its days. */
type ClosedInterval = ComposedInterval | 'month';

/**
 * Has the viewers of an interval of organizations counted once it is over and does not change any more, and with those of a day those of its
 * month.
 */
export async function noteClosing(
  client: ClientBase,
  interval: ComposedInterval,
  time: Date,
  organizations: readonly OrganizationScope[],
  now: Date,
): Promise<void> {
  const ids = organizations.map(({ organizationId }) => organizationId);
  const end = new Date(time.getTime() + millisecondsOf[interval]);
  await note(client, { interval, time, end }, ids, now);
  if (interval === 'hour') return;
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  const whole = { time: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
  await note(client, { interval: 'month', ...whole }, ids, now);
}

async function note(
  client: ClientBase,
  { interval, time, end }: { interval: ClosedInterval; time: Date; end: Date },
  organizationIds: readonly string[],
  now: Date,
): Promise<void> {
  const dueAt = new Date(Math.max(end.getTime(), now.getTime()) + graceMilliseconds);
  await client.query(
    `INSERT INTO usage_closing AS noted (organization_id, interval, time, due_at)
     SELECT organization_id, $2, $3::timestamptz, $4::timestamptz FROM unnest($1::uuid[]) AS noted(organization_id)
     ON CONFLICT (organization_id, interval, time) DO UPDATE SET due_at = EXCLUDED.due_at WHERE noted.due_at < EXCLUDED.due_at`,
    [organizationIds, interval, time.toISOString(), dueAt.toISOString()],
  );
}

interface Closing extends OrganizationScope {
  interval: ClosedInterval;
  time: Date;
  dueAt: Date;
}

/** Counts the viewers of intervals that are over. */
export class UsageClosings {
  constructor(private readonly options: { pool: BoundedPool; clock: Clock }) {}

  /**
   * Counts those that are due. Any number of instances may run at the same time: one of them works. Rejects if PostgreSQL is unavailable,
   * and if one could not be counted: that one waits, so that it keeps no other from being counted.
   */
  async run(): Promise<void> {
    const { pool } = this.options;
    const failures: unknown[] = [];
    for (let closed = 0; closed < maximumClosings; closed += 1) {
      if (!(await inTransaction(pool, (client) => this.closeOne(client, failures)))) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Returns whether there may be more. Adds the error of one that could not be counted to `failures`. */
  private async closeOne(client: ClientBase, failures: unknown[]): Promise<boolean> {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS taken', [lockId]);
    if (!rows[0]?.taken) return false;
    const now = await this.options.clock(client);
    const closing = await findDue(client, now);
    if (closing === undefined) return false;
    await planForManyEvents(client);
    await client.query('SAVEPOINT counting');
    try {
      await count(client, closing);
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT counting');
      await postpone(client, closing, now);
      failures.push(error);
    }
    return true;
  }
}

const sameClosing = `organization_id = $1::uuid AND interval = $2 AND time = $3::timestamptz AND due_at = $4::timestamptz`;

const keyOf = ({ organizationId, interval, time, dueAt }: Closing): unknown[] => [
  organizationId,
  interval,
  time.toISOString(),
  dueAt.toISOString(),
];

async function count(client: ClientBase, closing: Closing): Promise<void> {
  const { interval, time } = closing;
  if (interval === 'month') {
    await countViewersOfMonth(client, closing, time);
  } else {
    const to = new Date(time.getTime() + millisecondsOf[interval]);
    await countViewers(client, tableOf(interval), closing, time, to);
  }
  // It stays if it has changed meanwhile: nobody waits for this transaction to note that.
  await client.query(`DELETE FROM usage_closing WHERE ${sameClosing}`, keyOf(closing));
}

async function postpone(client: ClientBase, closing: Closing, now: Date): Promise<void> {
  const dueAt = new Date(now.getTime() + postponedMilliseconds).toISOString();
  await client.query(`UPDATE usage_closing SET due_at = $5::timestamptz WHERE ${sameClosing}`, [
    ...keyOf(closing),
    dueAt,
  ]);
}

async function findDue(client: ClientBase, now: Date): Promise<Closing | undefined> {
  const { rows } = await client.query<Closing>(
    `SELECT organization_id::text AS "organizationId", interval, time, due_at AS "dueAt",
       ARRAY(SELECT environment.id::text FROM environment JOIN project ON project.id = environment.project_id
         WHERE project.organization_id = usage_closing.organization_id) AS "environmentIds"
     FROM usage_closing WHERE due_at <= $1::timestamptz ORDER BY due_at LIMIT 1`,
    [now.toISOString()],
  );
  return rows[0];
}
