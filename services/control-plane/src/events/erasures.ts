import { largestPage, type OrganizationStreams, type SlotStore, streamMember } from '@multi-drm/slots';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../database/pool-transaction';
import { erasureSpreadsMilliseconds } from './erased-subjects';
import { viewerDays } from './usage-notes';

/** How many erasures are taken at once. */
const erasuresAtOnce = 20;

/**
 * When the last pass begins, in seconds after the erasure: it finds what others were storing during the first one, and the sessions that
 * started before playback had heard of the erasure.
 */
const lastPassSeconds = 12;

/** How long erased viewers are recognized in what is told late: as long as a document is remembered that is gone. */
const recognizedDays = 7;

interface Erasure {
  /** Replaces the subject. */
  id: string;
  projectId: string;
  organizationId: string;
  subject: string;
  erasedAt: Date;
  isLastPass: boolean;
  environmentIds: string[];
}

interface ErasuresOptions {
  pool: Pool;
  slots: Pick<SlotStore, 'listSubject' | 'release' | 'remember'>;
  /** The streams of organizations name the viewer, too. */
  streams: Pick<OrganizationStreams, 'remove'>;
}

/** Ends the sessions of erased viewers, and replaces their subjects wherever one is stored. */
export class Erasures {
  constructor(private readonly options: ErasuresOptions) {}

  /**
   * Runs the passes that are due. Any number of instances may run at once. Resolves to whether more may be due. Rejects if Redis or
   * PostgreSQL is unavailable; what was not done is repeated.
   */
  async run(): Promise<boolean> {
    const due = await inTransaction(this.options.pool, claimDue);
    for (const erasure of due) await this.pass(erasure);
    return due.length === erasuresAtOnce;
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
    const { subject, organizationId } = erasure;
    const until = untilOf(erasure);
    const { sessions } = await slots.listSubject(environmentId, subject, { limit: largestPage });
    const active = sessions.flatMap(({ sessionId, startedAt }) => (startedAt <= until ? [sessionId] : []));
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

const untilOf = ({ erasedAt }: Erasure): Date => new Date(erasedAt.getTime() + erasureSpreadsMilliseconds);

/** Takes erasures whose pass is due. The next pass follows in any case, so that nothing is lost with a process. */
async function claimDue(client: ClientBase): Promise<Erasure[]> {
  await client.query(`DELETE FROM erased_subject WHERE erased_at < now() - interval '${recognizedDays} days'`);
  const { rows } = await client.query<Erasure>(
    `UPDATE erasure SET next_pass_at = now() + interval '${lastPassSeconds} seconds'
     WHERE id IN (
       SELECT id FROM erasure WHERE next_pass_at <= now() ORDER BY next_pass_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING id::text, project_id::text AS "projectId", subject, erased_at AS "erasedAt",
       (SELECT organization_id::text FROM project WHERE project.id = erasure.project_id) AS "organizationId",
       erased_at <= now() - interval '${lastPassSeconds} seconds' AS "isLastPass",
       ARRAY(SELECT id::text FROM environment WHERE environment.project_id = erasure.project_id) AS "environmentIds"`,
    [erasuresAtOnce],
  );
  return rows;
}

/** The ids of the viewer's sessions that are stored as open. */
async function readOpenSessions(client: ClientBase, environmentId: string, erasure: Erasure): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT session_id AS id FROM session
     WHERE environment_id = $1::uuid AND subject = $2 AND started_at <= $3::timestamptz AND ended_at IS NULL`,
    [environmentId, erasure.subject, untilOf(erasure)],
  );
  return rows.map(({ id }) => id);
}

/** Replaces the subject in what is stored. The outbox comes first: what is moved from it meanwhile is among the events then. */
async function makeAnonymous(client: ClientBase, erasure: Erasure): Promise<void> {
  const { id, projectId, subject, environmentIds, erasedAt } = erasure;
  const values = [subject, id];
  await client.query(
    'UPDATE event_outbox SET subject = $2 WHERE subject = $1 AND scope_id = $3::uuid AND time <= $4::timestamptz',
    [...values, projectId, erasedAt],
  );
  await client.query(
    'UPDATE event SET subject = $2 WHERE subject = $1 AND scope_id = $3::uuid AND time <= $4::timestamptz',
    [...values, projectId, erasedAt],
  );
  for (const environmentId of environmentIds) {
    const ofEnvironment = [...values, environmentId, untilOf(erasure)];
    await client.query(
      `UPDATE event SET subject = $2, data = data - 'reporting'
       WHERE subject = $1 AND scope_id = $3::uuid AND time <= $4::timestamptz`,
      ofEnvironment,
    );
    await client.query(
      `UPDATE session SET subject = $2, reporting = NULL
       WHERE subject = $1 AND environment_id = $3::uuid AND started_at <= $4::timestamptz`,
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
