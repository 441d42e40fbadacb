import type { SubjectBuckets } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { type FoundSession, RedisSlotStore, type StoredDetails, slotEventsKey } from '@multi-drm/slots';
import type { ClientBase } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { insertEvents } from './event-rows';
import {
  type ChangedSession,
  changeColumns,
  changeOpen,
  type EventSession,
  endSessions,
  keyOf,
  lookMilliseconds,
} from './session-rows';
import { endedRow, type SessionEnding } from './store-slot-events';

/** How many sessions are looked up at a time. */
const sessionsAtOnce = 500;

/** When sessions are looked up again that nobody has, because a process ended while it looked them up. */
const claimMilliseconds = 60_000;

interface OpenSessionsOptions {
  pool: BoundedPool;
  redis: RedisClient;
  /** Reads the buckets of viewers. */
  readBuckets: () => Promise<SubjectBuckets>;
  /** How long playback remembers the id of a session after its end. */
  sessionIdRetentionSeconds: number;
}

/** A session that is stored as open. */
interface OpenSession extends EventSession {
  /** Since when Redis does not know it, in milliseconds since 1970; null: it did when it was last looked up. */
  missingSince: number | null;
}

/** What a look-up has found: when to look again, or how the session has ended. */
type Finding =
  | { again: { session: OpenSession; at: number; expiresAt: number; missingSince: number | null } }
  | { ending: SessionEnding };

/**
 * Looks up sessions in Redis that are stored as open, so that each ends once although its end was not reported: it was dropped, or Redis
 * has lost the session.
 */
export class OpenSessions {
  private readonly slots: RedisSlotStore;
  private buckets: SubjectBuckets | undefined;

  constructor(private readonly options: OpenSessionsOptions) {
    const { redis, sessionIdRetentionSeconds } = options;
    // Nothing is reserved or ended here.
    const unused = { idempotentRepeatSeconds: 0, eventBytes: () => 0 };
    const buckets = () => this.currentBuckets();
    this.slots = new RedisSlotStore(redis, { ...unused, sessionIdRetentionSeconds, buckets });
  }

  /**
   * Looks up sessions whose time has come. Any number of instances may run at the same time. Resolves to whether more may be due. Rejects
   * if Redis or PostgreSQL is unavailable; the sessions are looked up again a minute later.
   */
  async lookUp(): Promise<boolean> {
    const { pool, readBuckets } = this.options;
    const due = await inTransaction(pool, claimDue);
    if (due.length === 0) return false;
    this.buckets = await readBuckets();
    const findings = await Promise.all(due.map((session) => this.find(session)));
    const endings = findings.flatMap((finding) => ('ending' in finding ? [finding.ending] : []));
    const others = findings.flatMap((finding) => ('again' in finding ? [finding.again] : []));
    await inTransaction(pool, async (client) => {
      const withKey = ({ startedAt, ...end }: SessionEnding) => ({ ...end, startedAt: keyOf(startedAt) });
      const ended = await endSessions(client, endings.map(withKey));
      const rows = endings.flatMap((ending) => {
        const stored = ended.get(ending.reservationId);
        return stored === undefined ? [] : [endedRow(asStored(ending, stored))];
      });
      await insertEvents(client, rows);
      await lookAgain(client, others);
    });
    return due.length === sessionsAtOnce;
  }

  /** Has all open sessions looked up soon, because Redis may have lost them: the time of their loss is when they are first missed. */
  async suspectAll(): Promise<void> {
    // In parts, so that no end waits long for a row.
    for (let part = 0; part < 256; part += 16) {
      await inTransaction(this.options.pool, (client) =>
        client.query(
          `UPDATE session SET look_up_at = clock_timestamp()
           WHERE ended_at IS NULL AND get_byte(uuid_send(reservation_id), 0) BETWEEN $1 AND $2`,
          [part, part + 15],
        ),
      );
    }
  }

  private async find(session: OpenSession): Promise<Finding> {
    const found = await this.slots.find(session);
    const now = found.serverTime.getTime();
    const again = (at: number, expiresAt: number, missingSince: number | null) => ({
      again: { session, at, expiresAt, missingSince },
    });
    if (found.state === 'reserved' && found.reservationId === session.reservationId) {
      return again(now + lookMilliseconds, found.expiresAt.getTime(), null);
    }
    // What the list of its bucket still has comes first. After this look, nothing was left of it if the list is empty.
    const unread = await this.options.redis.llen(this.listOf(session));
    if (unread > 0) return again(now + claimMilliseconds, session.expiresAt, session.missingSince);
    const ending = endingOf(session, found, now);
    return ending === undefined
      ? again(now + lookMilliseconds, session.expiresAt, session.missingSince ?? now)
      : { ending };
  }

  private listOf({ environmentId, subject }: OpenSession): string {
    return slotEventsKey(this.currentBuckets().bucketOf(environmentId, subject));
  }

  private currentBuckets(): SubjectBuckets {
    if (this.buckets === undefined) throw new Error('the buckets of viewers are read before a session is looked up');
    return this.buckets;
  }
}

/** The ending as the session is stored now: its viewer may have been erased during the look-up. */
function asStored(ending: SessionEnding, { subject, sandbox }: ChangedSession): SessionEnding {
  if (ending.subject === subject) return { ...ending, sandbox };
  return { ...ending, subject, sandbox, details: { ...ending.details, reporting: null } };
}

/** How a session has ended that Redis does not have; undefined while it may come back. `now`: milliseconds by the clock of Redis. */
function endingOf(session: OpenSession, { state }: FoundSession, now: number): SessionEnding | undefined {
  const ending = { ...session, licenseRequests: null };
  // Nobody knows when it ended: at this moment at the latest.
  if (state === 'expired') return { ...ending, reason: state, at: Math.min(session.expiresAt, now) * 1000 };
  if (state !== 'unknown' && state !== 'reserved') return { ...ending, reason: state, at: now * 1000 };
  const { missingSince, startedAt, expiresAt } = session;
  // A token that was issued until then has expired by now, so no player can take the slot again.
  const lifetime = expiresAt - startedAt / 1000;
  if (missingSince === null || now < missingSince + lifetime) return undefined;
  return { ...ending, reason: 'lost', at: missingSince * 1000 };
}

interface SessionRow extends StoredDetails {
  startedAt: Date;
  startedMicroseconds: number;
  reservationId: string;
  environmentId: string;
  subject: string;
  sessionId: string;
  expiresAt: Date;
  missingSince: Date | null;
}

/** Sessions that are due, which no other process looks up for a minute. */
async function claimDue(client: ClientBase): Promise<OpenSession[]> {
  const { rows } = await client.query<SessionRow>(
    `SELECT started_at AS "startedAt", started_microseconds AS "startedMicroseconds", reservation_id::text AS "reservationId",
       environment_id::text AS "environmentId", subject, session_id AS "sessionId", content_id AS "contentId",
       content_type AS "contentType", drm_system AS "drmSystem", application_id AS "applicationId",
       client_platform AS "clientPlatform", attempt_id AS "attemptId", reporting, expires_at AS "expiresAt",
       missing_since AS "missingSince"
     FROM session WHERE ended_at IS NULL AND look_up_at <= clock_timestamp()
     ORDER BY look_up_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [sessionsAtOnce],
  );
  const sessions = rows.map(sessionOf);
  const changes = sessions.map(changeOf);
  await changeOpen(
    client,
    `look_up_at = clock_timestamp() + interval '${claimMilliseconds} ms'`,
    changeColumns,
    changes,
  );
  return sessions;
}

async function lookAgain(client: ClientBase, looks: Extract<Finding, { again: unknown }>['again'][]): Promise<void> {
  const changes = looks.map(({ session, at, expiresAt, missingSince }) => ({
    ...changeOf(session),
    expiresAt,
    lookUpAt: at,
    missingSince,
  }));
  const columns = [
    ...changeColumns,
    {
      name: 'look_up_at',
      type: 'timestamptz',
      value: ({ lookUpAt }: (typeof changes)[number]) => isoOfMilliseconds(lookUpAt),
    },
    {
      name: 'missing_since',
      type: 'timestamptz',
      value: ({ missingSince }: (typeof changes)[number]) =>
        missingSince === null ? null : isoOfMilliseconds(missingSince),
    },
  ];
  const set = 'expires_at = given.expires_at, look_up_at = given.look_up_at, missing_since = given.missing_since';
  await changeOpen(client, set, columns, changes);
}

const isoOfMilliseconds = (milliseconds: number): string => new Date(milliseconds).toISOString();

function changeOf({ startedAt, reservationId, expiresAt }: OpenSession) {
  return { startedAt: keyOf(startedAt), reservationId, expiresAt };
}

function sessionOf({ startedAt, startedMicroseconds, expiresAt, missingSince, ...row }: SessionRow): OpenSession {
  const { environmentId, subject, sessionId, reservationId, ...details } = row;
  return {
    environmentId,
    subject,
    sessionId,
    reservationId,
    details,
    startedAt: startedAt.getTime() * 1000 + startedMicroseconds,
    expiresAt: expiresAt.getTime(),
    missingSince: missingSince?.getTime() ?? null,
  };
}
