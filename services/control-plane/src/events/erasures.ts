import { largestPage, type OrganizationStreams, type SlotStore, streamMember } from '@multi-drm/slots';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../database/pool-transaction';
import { claimErasure, type Erasure } from './erasure-claims';
import { viewerDays } from './usage-notes';

interface ErasuresOptions {
  pool: Pool;
  slots: Pick<SlotStore, 'listSubject' | 'release' | 'remember'>;
  /** The streams of organizations name the viewer, too. */
  streams: Pick<OrganizationStreams, 'remove'>;
  /** Reads the time of Redis. */
  redisNow: () => Promise<Date>;
}

/** Ends the sessions of erased viewers, and replaces their subjects wherever one is stored. */
export class Erasures {
  constructor(private readonly options: ErasuresOptions) {}

  /**
   * Runs the passes that are due. Any number of instances may run at once. Rejects if Redis or PostgreSQL is unavailable; what was not done
   * is repeated.
   */
  async run(): Promise<void> {
    const { pool, redisNow } = this.options;
    for (;;) {
      const now = await redisNow();
      const due = await inTransaction(pool, (client) => claimErasure(client, now));
      if (due === undefined) return;
      await this.pass(due);
    }
  }

  private async pass(erasure: Erasure): Promise<void> {
    for (const environmentId of erasure.environmentIds) await this.endSessions(environmentId, erasure);
    await inTransaction(this.options.pool, async (client) => {
      await makeAnonymous(client, erasure);
      if (erasure.isLastPass) await client.query('DELETE FROM erasure WHERE id = $1::uuid', [erasure.id]);
    });
  }

  private async endSessions(environmentId: string, erasure: Erasure): Promise<void> {
    const { pool, slots, streams } = this.options;
    const { subject, organizationId, sessionsUntil } = erasure;
    const { sessions } = await slots.listSubject(environmentId, subject, { limit: largestPage });
    const active = sessions.flatMap(({ sessionId, startedAt }) => (startedAt <= sessionsUntil ? [sessionId] : []));
    const stored = await inTransaction(pool, (client) => readOpenSessions(client, environmentId, erasure));
    const newer = new Set(sessions.map(({ sessionId }) => sessionId).filter((id) => !active.includes(id)));
    const ending = new Set([...active, ...stored.filter((id) => !newer.has(id))]);
    for (const sessionId of ending) {
      const session = { environmentId, subject, sessionId };
      const outcome = await slots.release({ ...session, reservationId: null, reason: 'terminated' });
      // Redis has lost it: its token must not bring it back.
      if (outcome === 'unknown') await slots.remember(session, null);
    }
    const members = [...ending].map((sessionId) => streamMember({ environmentId, subject, sessionId }));
    await streams.remove(organizationId, members);
  }
}

/** The ids of the viewer's sessions that are stored as open. */
async function readOpenSessions(client: ClientBase, environmentId: string, erasure: Erasure): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT session_id AS id FROM session
     WHERE environment_id = $1::uuid AND subject = $2 AND started_at <= $3::timestamptz AND ended_at IS NULL`,
    [environmentId, erasure.subject, erasure.sessionsUntil],
  );
  return rows.map(({ id }) => id);
}

/** Replaces the subject in what is stored. The outbox comes first: what is moved from it meanwhile is among the events then. */
async function makeAnonymous(client: ClientBase, erasure: Erasure): Promise<void> {
  const { id, projectId, subject, environmentIds, endUserId } = erasure;
  const values = [subject, id];
  // A new record with the same subject may have events already.
  const ofRecord = "($4::text IS NULL OR data->>'recordId' = $4)";
  await client.query(
    `UPDATE event_outbox SET subject = $2 WHERE subject = $1 AND scope_id = $3::uuid AND ${ofRecord}`,
    [...values, projectId, endUserId],
  );
  await client.query(`UPDATE event SET subject = $2 WHERE subject = $1 AND scope_id = $3::uuid AND ${ofRecord}`, [
    ...values,
    projectId,
    endUserId,
  ]);
  for (const environmentId of environmentIds) {
    const ofEnvironment = [...values, environmentId, erasure.sessionsUntil];
    // Sessions come first: whoever ends one meanwhile has committed the event by then, or finds the session anonymous.
    await client.query(
      `UPDATE session SET subject = $2, reporting = NULL
       WHERE subject = $1 AND environment_id = $3::uuid AND started_at <= $4::timestamptz`,
      ofEnvironment,
    );
    await client.query(
      `UPDATE event SET subject = $2, data = data - 'reporting'
       WHERE subject = $1 AND scope_id = $3::uuid AND time <= $4::timestamptz`,
      ofEnvironment,
    );
    // Not of a day on which a new viewer with the same subject has started a session.
    await client.query(
      `WITH former AS (
         DELETE FROM viewer_day WHERE subject = $1 AND environment_id = $3::uuid AND day = ANY (ARRAY(
           SELECT day::date FROM generate_series($4::timestamptz AT TIME ZONE 'UTC' - interval '${viewerDays} days',
             $4::timestamptz AT TIME ZONE 'UTC', interval '1 day') AS day))
           AND NOT EXISTS (SELECT FROM session WHERE session.subject = $1 AND session.environment_id = $3::uuid
             AND session.started_at > $4::timestamptz AND (session.started_at AT TIME ZONE 'UTC')::date = viewer_day.day)
         RETURNING environment_id, day)
       INSERT INTO viewer_day (environment_id, day, subject) SELECT environment_id, day, $2 FROM former ON CONFLICT DO NOTHING`,
      ofEnvironment,
    );
    // An entry that cannot be read names its environment, too, unless somebody else has written it.
    await client.query(
      `DELETE FROM event_set_aside
       WHERE position(convert_to($1, 'UTF8') IN entry) > 0 AND position(convert_to($2, 'UTF8') IN entry) > 0`,
      [subject, environmentId],
    );
  }
}
