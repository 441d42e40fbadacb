import type { ClientBase } from 'pg';
import { erasureSpreadsSeconds } from './erased-subjects';
import { storingMilliseconds } from './event-pool';

/**
 * How long after the begin of the first pass the last one begins, at the earliest, in milliseconds. It finds the sessions that started before
 * playback had heard of the erasure, and what was being stored when the erasure was made: that is committed by then, or never.
 */
const lastPassMilliseconds = storingMilliseconds + 2_000;

/** How long erased viewers are recognized in events that come late: as long as a document that is gone is remembered. */
const recognizedDays = 7;

/** An erasure, one pass of which is due. */
export interface Erasure {
  /** Replaces the subject. */
  id: string;
  projectId: string;
  organizationId: string;
  /** The erased record; null if a former version has erased it. */
  endUserId: string | null;
  subject: string;
  /** Sessions that started until then are the viewer's, by the clock of Redis. */
  sessionsUntil: Date;
  isLastPass: boolean;
  environmentIds: string[];
}

/**
 * Takes an erasure whose pass is due, the one that has waited longest; undefined if there is none. The next pass follows in any case, so that
 * nothing is lost with a process. `redisNow`: the time of Redis, to which the first pass translates that of the erasure.
 */
export async function claimErasure(client: ClientBase, redisNow: Date): Promise<Erasure | undefined> {
  await client.query(`DELETE FROM erased_subject WHERE erased_at < now() - interval '${recognizedDays} days'`);
  const { rows } = await client.query<Erasure>(
    `UPDATE erasure SET
       next_pass_at = clock_timestamp() + interval '${lastPassMilliseconds} milliseconds',
       last_pass_at = COALESCE(last_pass_at, clock_timestamp() + interval '${lastPassMilliseconds} milliseconds'),
       sessions_until = COALESCE(sessions_until, $1::timestamptz + interval '${erasureSpreadsSeconds} seconds'
         - GREATEST(clock_timestamp() - erased_at, interval '0'))
     WHERE id = (
       SELECT id FROM erasure WHERE next_pass_at <= clock_timestamp() ORDER BY next_pass_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id::text, project_id::text AS "projectId", end_user_id::text AS "endUserId", subject,
       sessions_until AS "sessionsUntil", last_pass_at <= clock_timestamp() AS "isLastPass",
       (SELECT organization_id::text FROM project WHERE project.id = erasure.project_id) AS "organizationId",
       ARRAY(SELECT id::text FROM environment WHERE environment.project_id = erasure.project_id) AS "environmentIds"`,
    [redisNow],
  );
  const [erasure] = rows;
  if (erasure !== undefined) {
    await client.query(
      'UPDATE erased_subject SET sessions_until = $1::timestamptz WHERE environment_id = ANY($2::uuid[]) AND erasure_id = $3::uuid',
      [erasure.sessionsUntil, erasure.environmentIds, erasure.id],
    );
  }
  return erasure;
}

/** Has the rest of a pass follow as soon as the others that wait have had their turn. */
export async function continueSoon(client: ClientBase, { id }: Erasure): Promise<void> {
  await client.query('UPDATE erasure SET next_pass_at = clock_timestamp() WHERE id = $1::uuid', [id]);
}
