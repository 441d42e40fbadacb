import type { StoredDetails } from '@multi-drm/slots';
import type { ClientBase } from 'pg';
import { type Column, insertRows, jsonOf, timestampOf } from './bulk-rows';
import { announceStoring } from './storing-order';
import { noteUsage } from './usage-notes';
import { insertDeliveries } from './webhook-deliveries';

/** The types of events that are stored. */
export type EventType =
  | 'session.started'
  | 'session.ended'
  | 'session.resumed'
  | 'session.refused'
  | 'license.issued'
  | 'license.refused'
  | 'content.published'
  | 'content.archived'
  | 'end_user.blocked'
  | 'end_user.unblocked'
  | 'drm_system.changed'
  | 'api_client.rotated'
  | 'management_key.rotated'
  | 'organization.suspended'
  | 'webhook_endpoint.disabled'
  | 'organization.streams_near_limit'
  | 'organization.streams_at_limit';

/** A row of the table `event`. */
export interface EventRow {
  /** Microseconds since 1970. */
  time: number;
  id: string;
  type: EventType;
  scopeId: string;
  subject: string | null;
  sessionId: string | null;
  reservationId: string | null;
  contentId: string | null;
  data: Record<string, unknown>;
}

const columns: Column<EventRow>[] = [
  { name: 'time', type: 'timestamptz', value: ({ time }) => timestampOf(time) },
  { name: 'id', type: 'uuid', value: ({ id }) => id },
  { name: 'type', type: 'text', value: ({ type }) => type },
  { name: 'scope_id', type: 'uuid', value: ({ scopeId }) => scopeId },
  { name: 'subject', type: 'text', value: ({ subject }) => subject },
  { name: 'session_id', type: 'text', value: ({ sessionId }) => sessionId },
  { name: 'reservation_id', type: 'uuid', value: ({ reservationId }) => reservationId },
  { name: 'content_id', type: 'text', value: ({ contentId }) => contentId },
  { name: 'data', type: 'jsonb', value: ({ data }) => jsonOf(data) },
];

/** Stores events in their order, each once, with their deliveries. Returns how many were not stored before. */
export async function insertEvents(client: ClientBase, events: readonly EventRow[]): Promise<number> {
  if (events.length === 0) return 0;
  await announceStoring(client);
  const inserted = await insertRows(client, 'event', columns, events, 'id::text');
  const newEvents = events.filter(({ id }) => inserted.has(id));
  await noteUsage(client, newEvents);
  await insertDeliveries(client, newEvents);
  return newEvents.length;
}

/** Returns what `data` has of a session's details; the rest has columns. */
export function dataOfDetails({ contentId: _column, ...details }: StoredDetails): Record<string, unknown> {
  return details;
}
