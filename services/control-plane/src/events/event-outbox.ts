import type { ClientBase, Pool } from 'pg';
import type { Transaction } from '../database/database';
import { inTransaction } from '../database/pool-transaction';
import { dayOf } from './bulk-rows';
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

/** What such an event tells. */
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

/** Moves the events of changes to the others. An event whose day has no partition waits for it. */
export class EventOutbox {
  private readonly partitions = new PartitionsInUse();

  constructor(private readonly pool: Pool) {}

  /** Moves the oldest events. Any number of instances may run at once. Returns how many were moved. */
  async move(): Promise<number> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<OutboxRow>(
        `SELECT id, (extract(epoch FROM time) * 1000000)::bigint::text AS time, type, scope_id AS "scopeId", subject,
           content_id AS "contentId", data
         FROM event_outbox ORDER BY time LIMIT $1 FOR UPDATE SKIP LOCKED`,
        [eventsAtOnce],
      );
      return rows.length === 0 ? 0 : this.moveRows(client, rows);
    });
  }

  private async moveRows(client: ClientBase, rows: OutboxRow[]): Promise<number> {
    const days = await this.partitions.including(
      client,
      rows.map(({ time }) => dayOf(Number(time))),
    );
    const movable = rows.filter(({ time }) => days.has(dayOf(Number(time))));
    await insertEvents(client, movable.map(eventOf));
    await client.query('DELETE FROM event_outbox WHERE id = ANY($1::uuid[])', [movable.map(({ id }) => id)]);
    return movable.length;
  }
}

function eventOf({ id, time, ...row }: OutboxRow): EventRow {
  const at = Number(time);
  return { ...row, time: at, id: eventId(at, id), sessionId: null, reservationId: null };
}
