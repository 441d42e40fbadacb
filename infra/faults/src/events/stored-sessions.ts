import { runOnDatabase } from '@multi-drm/test-kit';

/** A start, an end or a resumption as an event reports it. */
export interface StoredFact {
  /** Milliseconds since 1970, with three decimals. */
  at: number;
  /** Milliseconds since 1970. */
  storedAt: number;
  /** Of ends. */
  reason: string;
  licenseRequests: number | null;
}

/** What PostgreSQL has of a session, which is identified by its reservation. */
export interface StoredSession {
  sessionId: string;
  subject: string;
  reservationId: string;
  starts: StoredFact[];
  ends: StoredFact[];
  /** Whether the row of the session has an end; undefined: there is no row. */
  isEnded?: boolean;
}

type Identity = Pick<StoredSession, 'sessionId' | 'subject' | 'reservationId'>;

interface EventRow extends Identity {
  type: string;
  at: string;
  storedAt: string;
  reason: string;
  licenseRequests: string | null;
}

const identity = 'session_id AS "sessionId", subject, reservation_id::text AS "reservationId"';

/** Returns the sessions of an environment, from its events and its session rows. */
export async function storedSessions(databaseUrl: string, environmentId: string): Promise<StoredSession[]> {
  const events = await runOnDatabase<EventRow>(
    databaseUrl,
    `SELECT ${identity}, type,
       (extract(epoch FROM time) * 1000)::text AS at, (extract(epoch FROM stored_at) * 1000)::text AS "storedAt",
       data->>'reason' AS reason, data->>'licenseRequests' AS "licenseRequests"
     FROM event WHERE scope_id = $1 AND type IN ('session.started', 'session.ended') ORDER BY id`,
    [environmentId],
  );
  const sessions = new Map<string, StoredSession>();
  const sessionOf = ({ sessionId, subject, reservationId }: Identity) => {
    const session = sessions.get(reservationId) ?? { sessionId, subject, reservationId, starts: [], ends: [] };
    sessions.set(reservationId, session);
    return session;
  };
  for (const event of events) {
    const { type, at, storedAt, reason, licenseRequests } = event;
    const facts = type === 'session.started' ? sessionOf(event).starts : sessionOf(event).ends;
    const requests = licenseRequests === null ? null : Number(licenseRequests);
    facts.push({ at: Number(at), storedAt: Number(storedAt), reason, licenseRequests: requests });
  }
  const rows = await runOnDatabase<Identity & { isEnded: boolean }>(
    databaseUrl,
    `SELECT ${identity}, ended_at IS NOT NULL AS "isEnded" FROM session WHERE environment_id = $1`,
    [environmentId],
  );
  for (const row of rows) sessionOf(row).isEnded = row.isEnded;
  return [...sessions.values()];
}

/** What PostgreSQL notes of entries that it could not store, and of dropped ones. */
export async function notStored(databaseUrl: string): Promise<{ setAside: number; dropped: number }> {
  const [row] = await runOnDatabase<{ setAside: string; dropped: string }>(
    databaseUrl,
    `SELECT (SELECT count(*) FROM event_set_aside) AS "setAside", (SELECT coalesce(sum(count), 0) FROM event_gap) AS dropped`,
  );
  return { setAside: Number(row?.setAside), dropped: Number(row?.dropped) };
}

/** How many sessions ended for which reason, as text. */
export function reasonsOf(stored: readonly StoredSession[]): string {
  const counts = new Map<string, number>();
  for (const { ends } of stored) for (const { reason } of ends) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
}
