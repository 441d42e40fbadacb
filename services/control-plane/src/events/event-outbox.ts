import type { BoundedPool } from '../database/connection-pool';
import type { Transaction } from '../database/database';
import { inTransaction } from '../database/pool-transaction';
import { eventId } from './event-id';
import { type EventRow, type EventType, insertEvents } from './event-rows';
import { PartitionsInUse } from './partitions-in-use';

/** How many events one transaction moves. */
const eventsAtOnce = 1_000;

/** An event of a change of a record. */
export interface RecordEvent {
  type: EventType;
  /** The environment, project or organization that the record belongs to. */
  scopeId: string;
  /** The viewer that the record is. */
  subject?: string | null;
  contentId?: string;
}

/** What such an event has. */
export interface RecordEventData {
  /** Both as in the audit trail. */
  recordType: string;
  recordId: string;
  /** The names of the fields that changed. */
  changedFields: string[];
  /** Why the service itself has made the change. */
  reason?: string;
}

/** Adds an event in a change's own transaction: committed or rolled back with it. */
export async function addRecordEvent(
  transaction: Transaction,
  event: RecordEvent,
  data: RecordEventData,
): Promise<void> {
  await transaction.eventOutboxEntry.create({ data: { ...event, data: { ...data } } });
}

interface OutboxRow extends Omit<EventRow, 'time' | 'sessionId' | 'reservationId'> {
  /** Microseconds since 1970, in digits. */
  time: string;
}

/** Moves the events of changes to the others. An event whose day has no partition waits for it, and no other waits for that. */
export class EventOutbox {
  private readonly partitions = new PartitionsInUse();

  constructor(private readonly pool: BoundedPool) {}

  /** Moves the oldest events. Any number of instances may run at the same time. Returns how many were moved. */
  async move(): Promise<number> {
    return inTransaction(this.pool, async (client) => {
      const { rows: some } = await client.query('SELECT FROM event_outbox LIMIT 1');
      if (some.length === 0) return 0;
      const { rows } = await client.query<OutboxRow>(
        `SELECT id, (extract(epoch FROM time) * 1000000)::bigint::text AS time, type, scope_id AS "scopeId", subject,
           content_id AS "contentId", data
         FROM event_outbox WHERE ${day} = ANY($2) ORDER BY time LIMIT $1 FOR UPDATE SKIP LOCKED`,
        [eventsAtOnce, [...(await this.partitions.read(client))]],
      );
      await insertEvents(client, rows.map(eventOf));
      await client.query('DELETE FROM event_outbox WHERE id = ANY($1::uuid[])', [rows.map(({ id }) => id)]);
      return rows.length;
    });
  }

  /** Drops events whose day gets no partition any more: the oldest one that is added is of yesterday. They become a gap. Returns how many. */
  async dropOld(): Promise<number> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        `WITH dropped AS (
           DELETE FROM event_outbox
           WHERE time < date_trunc('day', now(), 'UTC') - interval '1 day' AND ${day} <> ALL($1) RETURNING time
         ), gap AS (
           INSERT INTO event_gap (list, from_time, to_time, count)
           SELECT 'event_outbox', min(time), max(time), count(*) FROM dropped HAVING count(*) > 0
           ON CONFLICT (list, from_time) DO UPDATE
           SET to_time = greatest(event_gap.to_time, excluded.to_time), count = event_gap.count + excluded.count
         )
         SELECT count(*)::int AS count FROM dropped`,
        [[...(await this.partitions.read(client))]],
      );
      return rows[0]?.count ?? 0;
    });
  }
}

/** SQL: the day of an event as names of partitions have it. */
const day = "to_char(time AT TIME ZONE 'UTC', 'YYYYMMDD')";

function eventOf({ id, time, ...row }: OutboxRow): EventRow {
  const at = Number(time);
  return { ...row, time: at, id: eventId(at, id), sessionId: null, reservationId: null };
}
