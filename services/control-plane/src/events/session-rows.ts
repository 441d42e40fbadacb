import type { SessionEndReason, SlotEvent } from '@multi-drm/slots';
import type { ClientBase } from 'pg';
import { type Column, insertRows, isoOf, jsonOf, rowsAs, timestampOf } from './bulk-rows';
import type { SandboxMark } from './sandbox-mark';

/** How often an open session is looked up in Redis. */
export const lookMilliseconds = 30 * 60_000;

/** How long after its end a session is looked up that is still open: by then, its end was reported. */
const graceMilliseconds = 60_000;

/** By how much the stored start may be later than the one in an event: Redis corrects starts if its clock was set back. */
const correctedBy = '1 day';

/** What every event of a session has. */
export type EventSession = Pick<
  SlotEvent,
  'environmentId' | 'subject' | 'sessionId' | 'reservationId' | 'startedAt' | 'expiresAt' | 'details'
> &
  SandboxMark;

const sessionColumns: Column<EventSession>[] = [
  { name: 'started_at', type: 'timestamptz', value: ({ startedAt }) => keyOf(startedAt) },
  { name: 'reservation_id', type: 'uuid', value: ({ reservationId }) => reservationId },
  { name: 'started_microseconds', type: 'smallint', value: ({ startedAt }) => startedAt % 1000 },
  { name: 'environment_id', type: 'uuid', value: ({ environmentId }) => environmentId },
  { name: 'subject', type: 'text', value: ({ subject }) => subject },
  { name: 'session_id', type: 'text', value: ({ sessionId }) => sessionId },
  { name: 'content_id', type: 'text', value: ({ details }) => details.contentId },
  { name: 'content_type', type: 'text', value: ({ details }) => details.contentType },
  { name: 'drm_system', type: 'text', value: ({ details }) => details.drmSystem },
  { name: 'application_id', type: 'text', value: ({ details }) => details.applicationId },
  { name: 'client_platform', type: 'text', value: ({ details }) => details.clientPlatform },
  { name: 'attempt_id', type: 'text', value: ({ details }) => details.attemptId },
  {
    name: 'reporting',
    type: 'jsonb',
    value: ({ details }) => (details.reporting === null ? null : jsonOf(details.reporting)),
  },
  { name: 'sandbox', type: 'boolean', value: ({ sandbox = false }) => sandbox },
  { name: 'expires_at', type: 'timestamptz', value: ({ expiresAt }) => new Date(expiresAt).toISOString() },
  { name: 'look_up_at', type: 'timestamptz', value: ({ startedAt, expiresAt }) => lookUpAt(startedAt, expiresAt) },
];

/** Returns the part of a session's key that its start is, from microseconds since 1970. */
export const keyOf = (startedAt: number): string => isoOf(startedAt);

/** `since`: microseconds. `expiresAt`: milliseconds. */
const lookUpAt = (since: number, expiresAt: number): string =>
  new Date(Math.max(expiresAt + graceMilliseconds, since / 1000 + lookMilliseconds)).toISOString();

/** Stores sessions as open, each once. Returns the reservation ids of those that were not stored before. */
export async function insertSessions(client: ClientBase, sessions: readonly EventSession[]): Promise<Set<string>> {
  return insertRows(client, 'session', sessionColumns, sessions, 'reservation_id::text');
}

/** Returns the keys of the sessions that are stored: reservation id → start. */
export async function findSessions(
  client: ClientBase,
  sessions: readonly EventSession[],
): Promise<Map<string, string>> {
  if (sessions.length === 0) return new Map();
  const { table, values } = rowsAs<EventSession>(
    'given',
    [
      { name: 'reservation_id', type: 'uuid', value: ({ reservationId }) => reservationId },
      { name: 'environment_id', type: 'uuid', value: ({ environmentId }) => environmentId },
      { name: 'session_id', type: 'text', value: ({ sessionId }) => sessionId },
    ],
    sessions,
  );
  // The bounds are constants, so that PostgreSQL looks at few partitions only.
  const { first, last } = boundsOf(sessions.map(({ startedAt }) => keyOf(startedAt)));
  const { rows } = await client.query<{ id: string; startedAt: Date }>(
    `SELECT session.reservation_id::text AS id, session.started_at AS "startedAt"
     FROM ${table} JOIN session USING (environment_id, session_id, reservation_id)
     WHERE session.started_at BETWEEN $4::timestamptz AND $5::timestamptz + interval '${correctedBy}'`,
    [...values, first, last],
  );
  return new Map(rows.map(({ id, startedAt }) => [id, startedAt.toISOString()]));
}

/** What changes a stored session. */
export interface SessionChange {
  /** The key of the session. */
  startedAt: string;
  reservationId: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

interface Resumption extends SessionChange {
  /** Microseconds since 1970. */
  at: number;
}

export interface SessionEnd extends SessionChange {
  /** Microseconds since 1970. */
  at: number;
  reason: SessionEndReason | 'lost';
  /** null: not known. */
  licenseRequests: number | null;
}

export const changeColumns: Column<SessionChange>[] = [
  { name: 'started_at', type: 'timestamptz', value: ({ startedAt }) => startedAt },
  { name: 'reservation_id', type: 'uuid', value: ({ reservationId }) => reservationId },
  { name: 'expires_at', type: 'timestamptz', value: ({ expiresAt }) => new Date(expiresAt).toISOString() },
];

/** What is stored of a changed session: its viewer may have been erased since its start. */
export interface ChangedSession {
  subject: string;
  sandbox: boolean;
}

/** Notes that sessions are there. Returns those that are open, by reservation id. */
export async function resumeSessions(
  client: ClientBase,
  sessions: readonly Resumption[],
): Promise<Map<string, ChangedSession>> {
  const columns: Column<Resumption>[] = [
    ...changeColumns,
    { name: 'look_up_at', type: 'timestamptz', value: ({ at, expiresAt }) => lookUpAt(at, expiresAt) },
  ];
  return changeOpen(
    client,
    'expires_at = given.expires_at, look_up_at = given.look_up_at, missing_since = NULL',
    columns,
    sessions,
  );
}

/** Ends sessions. Returns those that were open, by reservation id: the first end that is stored counts. */
export async function endSessions(
  client: ClientBase,
  ends: readonly SessionEnd[],
): Promise<Map<string, ChangedSession>> {
  const columns: Column<SessionEnd>[] = [
    ...changeColumns,
    { name: 'ended_at', type: 'timestamptz', value: ({ at }) => timestampOf(at) },
    { name: 'end_reason', type: 'text', value: ({ reason }) => reason },
    { name: 'license_requests', type: 'integer', value: ({ licenseRequests }) => licenseRequests },
  ];
  const changes = `ended_at = given.ended_at, end_reason = given.end_reason, license_requests = given.license_requests,
    expires_at = given.expires_at, look_up_at = NULL, missing_since = NULL`;
  return changeOpen(client, changes, columns, ends);
}

/** Changes those of the sessions that are open. `changes`: SQL, with the columns as `given`. */
export async function changeOpen<Change extends SessionChange>(
  client: ClientBase,
  changes: string,
  columns: Column<Change>[],
  sessions: readonly Change[],
): Promise<Map<string, ChangedSession>> {
  if (sessions.length === 0) return new Map();
  const { table, values } = rowsAs('given', columns, sessions);
  const { first, last } = boundsOf(sessions.map(({ startedAt }) => startedAt));
  const { rows } = await client.query<ChangedSession & { id: string }>(
    `UPDATE session SET ${changes} FROM ${table}
     WHERE session.started_at = given.started_at AND session.reservation_id = given.reservation_id AND session.ended_at IS NULL
       AND session.started_at BETWEEN $${columns.length + 1}::timestamptz AND $${columns.length + 2}::timestamptz
     RETURNING session.reservation_id::text AS id, session.subject, session.sandbox`,
    [...values, first, last],
  );
  return new Map(rows.map(({ id, ...stored }) => [id, stored]));
}

/** ISO 8601 sorts as time does. */
function boundsOf(times: readonly string[]): { first: string; last: string } {
  const sorted = [...times].sort();
  return { first: sorted[0] ?? '', last: sorted.at(-1) ?? '' };
}
