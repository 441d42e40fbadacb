import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { type DueRange, everyDay } from './due-range';

/** An event that is due at an endpoint. */
export interface DueDelivery {
  endpointId: string;
  eventId: string;
  /** Of the event, in ISO 8601 with microseconds. */
  time: string;
  /** How often it was sent. */
  attempts: number;
  type: string;
  scopeId: string;
  subject: string | null;
  sessionId: string | null;
  reservationId: string | null;
  contentId: string | null;
  data: Record<string, unknown>;
}

/** What an endpoint asks for. */
interface Wanted {
  endpointId: string;
  most: number;
  range: DueRange;
  /** The ids of events that it has been given, and whose results are not stored yet. */
  known: Iterable<string>;
}

interface FoundDelivery extends DueDelivery {
  /** Of the endpoint among those that ask. */
  place: number;
}

interface Waiting extends Wanted {
  resolve: (deliveries: DueDelivery[]) => void;
  reject: (error: unknown) => void;
}

const dueOf = (isReplay: boolean) => `(
  SELECT time, event_id, attempts, is_replay, next_attempt_at FROM webhook_delivery
  WHERE endpoint_id = wanted.endpoint_id AND is_replay = ${isReplay} AND next_attempt_at <= now() AND event_id <> ALL(wanted.known)
    AND time >= $4::timestamptz AND time < $5::timestamptz
  ORDER BY next_attempt_at LIMIT $6
)`;

// Each half reads the index in its order, for which it has a limit that PostgreSQL knows when it plans; the second is read only if the first
// has too few. Each event is looked up in its partition, although PostgreSQL may think that it would rather read all of them.
const query = `SELECT wanted.place::integer AS place, wanted.endpoint_id::text AS "endpointId", delivery.event_id::text AS "eventId", delivery.attempts,
    to_char(delivery.time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time, event.type,
    event.scope_id::text AS "scopeId", event.subject, event.session_id AS "sessionId",
    event.reservation_id::text AS "reservationId", event.content_id AS "contentId", event.data
  FROM (
    SELECT endpoint_id, most, known::uuid[] AS known, place
    FROM unnest($1::uuid[], $2::integer[], $3::text[]) WITH ORDINALITY AS asked(endpoint_id, most, known, place) OFFSET 0
  ) AS wanted
  CROSS JOIN LATERAL (
    SELECT * FROM (${dueOf(false)} UNION ALL ${dueOf(true)}) AS due LIMIT wanted.most
  ) AS delivery
  CROSS JOIN LATERAL (SELECT * FROM event WHERE time = delivery.time AND id = delivery.event_id LIMIT 1) AS event
  ORDER BY delivery.is_replay, delivery.next_attempt_at`;

/**
 * Reads the deliveries that are due, new events before replays. Endpoints that ask while a query runs share the next one: planning it
 * over all partitions takes longer than running it.
 */
export class DueDeliveries {
  private waiting: Waiting[] = [];
  private isReading = false;

  constructor(private readonly pool: BoundedPool) {}

  /** Resolves to what is due and not known, in the order in which it is sent; rejects if the database is unavailable. */
  async next(wanted: Wanted): Promise<DueDelivery[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...wanted, resolve, reject });
      if (!this.isReading) void this.readAll();
    });
  }

  private async readAll(): Promise<void> {
    this.isReading = true;
    while (this.waiting.length > 0) {
      const together = this.waiting.splice(0);
      try {
        const found = await this.read(together);
        for (const [index, { resolve }] of together.entries()) resolve(found.get(index + 1) ?? []);
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.isReading = false;
  }

  /** Returns what each of them is given, by its place: the first one is 1. */
  private async read(together: readonly Wanted[]): Promise<Map<number, DueDelivery[]>> {
    const { from, to } = together.find(({ range }) => range === everyDay)?.range ?? together[0]?.range ?? everyDay;
    const parameters = [
      together.map(({ endpointId }) => endpointId),
      together.map(({ most }) => most),
      // What one endpoint knows, another one may still have to be given.
      together.map(({ known }) => `{${[...known].join(',')}}`),
      from,
      to,
      Math.max(...together.map(({ most }) => most)),
    ];
    const { rows } = await inTransaction(this.pool, (client) => client.query<FoundDelivery>(query, parameters));
    const found = new Map<number, DueDelivery[]>();
    for (const { place, ...delivery } of rows) {
      const group = found.get(place);
      if (group === undefined) found.set(place, [delivery]);
      else group.push(delivery);
    }
    return found;
  }
}
