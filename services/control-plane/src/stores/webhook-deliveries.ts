import type { Transaction } from '../database/database';
import { Prisma, type WebhookDelivery } from '../generated/prisma/client';
import type { EventBound } from './events';

/** A delivery, with the type of its event; null: the event is not kept any more. */
export interface WebhookDeliveryRecord extends Omit<WebhookDelivery, 'endpointId'> {
  type: string | null;
}

/** The filters of a list; undefined: all. */
export interface WebhookDeliveryFilter {
  status: WebhookDelivery['status'] | undefined;
  /** Inclusive. */
  from: EventBound | undefined;
  /** Exclusive. */
  to: EventBound | undefined;
}

const columns = Prisma.raw(
  `delivery.time, delivery.event_id::text AS "eventId", delivery.status::text AS status, delivery.attempts,
   delivery.next_attempt_at AS "nextAttemptAt", delivery.is_replay AS "isReplay", delivery.last_attempt_at AS "lastAttemptAt",
   delivery.last_status AS "lastStatus", delivery.last_error AS "lastError", delivery.last_answer AS "lastAnswer",
   (SELECT type FROM event WHERE event.time = delivery.time AND event.id = delivery.event_id) AS type`,
);

/** Up to `take` deliveries to an endpoint, before one of them, newest event first. */
export async function listWebhookDeliveries(
  database: Transaction,
  endpointId: string,
  { status, from, to }: WebhookDeliveryFilter,
  before: EventBound | undefined,
  take: number,
): Promise<WebhookDeliveryRecord[]> {
  const conditions = [
    Prisma.sql`endpoint_id = ${endpointId}::uuid`,
    ...(status === undefined ? [] : [Prisma.sql`status = ${status}::webhook_delivery_status`]),
    // Those have an index, and may be few among many.
    ...(status === 'pending' ? [Prisma.sql`next_attempt_at IS NOT NULL`] : []),
    ...(from === undefined ? [] : [Prisma.sql`time >= ${from.time} AND event_id >= ${from.id}::uuid`]),
    // Times are stored in microseconds, and ids are in their order.
    ...[before, to].flatMap((end) =>
      end === undefined ? [] : [Prisma.sql`time < ${new Date(end.time.getTime() + 1)} AND event_id < ${end.id}::uuid`],
    ),
  ];
  return database.$queryRaw<WebhookDeliveryRecord[]>`
    SELECT ${columns} FROM (
      SELECT * FROM webhook_delivery WHERE ${Prisma.join(conditions, ' AND ')}
      ORDER BY time DESC, event_id DESC LIMIT ${take}
    ) AS delivery ORDER BY delivery.time DESC, delivery.event_id DESC`;
}

/** Makes a delivery due now, whatever became of it. Returns null if there is none. */
export async function retryWebhookDelivery(
  transaction: Transaction,
  endpointId: string,
  { id, time }: EventBound,
): Promise<WebhookDeliveryRecord | null> {
  const [row] = await transaction.$queryRaw<WebhookDeliveryRecord[]>`
    UPDATE webhook_delivery AS delivery SET status = 'pending', next_attempt_at = clock_timestamp()
    WHERE endpoint_id = ${endpointId}::uuid AND event_id = ${id}::uuid
      AND time >= ${time} AND time < ${new Date(time.getTime() + 1)}
    RETURNING ${columns}`;
  return row ?? null;
}
