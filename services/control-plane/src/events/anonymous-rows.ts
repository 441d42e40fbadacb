import { pack } from '@multi-drm/slots';
import type { Erasure } from './erasure-claims';
import { viewerDays } from './usage-notes';

/** How many rows one statement replaces. */
const rowsAtOnce = 2_000;

/** The last UUID. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

interface Statement {
  text: string;
  values: unknown[];
}

/**
 * Returns statements that replace the subject in what is stored, in their order. Each replaces it in some rows, and is to be repeated until
 * it finds none: what was replaced stays replaced, whenever the process ends.
 */
export function replacementsOf(erasure: Erasure): Statement[] {
  const { projectId, endUserId, environmentIds } = erasure;
  const projectValues = [erasure.subject, erasure.id, projectId, endUserId];
  return [
    // The outbox comes first: what is moved from it meanwhile is among the events then.
    { text: recordEvents('event_outbox'), values: projectValues },
    { text: recordEvents('event'), values: projectValues },
    ...environmentIds.flatMap((environmentId) => {
      const values = [erasure.subject, erasure.id, environmentId, erasure.sessionsUntil];
      // Sessions come first: a transaction that ends one meanwhile has stored its event by then, or finds the session anonymous.
      return [sessions, events, viewers].map((text) => ({ text, values }));
    }),
    { text: entries, values: [pack(erasure.subject), environmentIds] },
  ];
}

/** A new record with the same subject may have events already. */
const recordEvents = (table: string): string =>
  `UPDATE ${table} SET subject = $2
   WHERE subject = $1 AND scope_id = $3::uuid AND ($4::text IS NULL OR data->>'recordId' = $4)`;

const sessions = `
  UPDATE session SET subject = $2, reporting = NULL
  WHERE subject = $1 AND environment_id = $3::uuid AND started_at <= COALESCE(
    (SELECT started_at FROM session WHERE subject = $1 AND environment_id = $3::uuid AND started_at <= $4::timestamptz
     ORDER BY started_at OFFSET ${rowsAtOnce - 1} LIMIT 1), $4::timestamptz)`;

const events = `
  UPDATE event SET subject = $2, data = data - 'reporting'
  WHERE subject = $1 AND scope_id = $3::uuid AND time <= $4::timestamptz AND id <= COALESCE(
    (SELECT id FROM event WHERE subject = $1 AND scope_id = $3::uuid AND time <= $4::timestamptz
     ORDER BY id OFFSET ${rowsAtOnce - 1} LIMIT 1), '${lastId}'::uuid)`;

/** Not of a day on which a new viewer with the same subject has started a session. */
const viewers = `
  WITH former AS (
    DELETE FROM viewer_day WHERE subject = $1 AND environment_id = $3::uuid AND day = ANY (ARRAY(
      SELECT day::date FROM generate_series($4::timestamptz AT TIME ZONE 'UTC' - interval '${viewerDays} days',
        $4::timestamptz AT TIME ZONE 'UTC', interval '1 day') AS day))
      AND NOT EXISTS (SELECT FROM session WHERE session.subject = $1 AND session.environment_id = $3::uuid
        AND session.started_at > $4::timestamptz AND (session.started_at AT TIME ZONE 'UTC')::date = viewer_day.day)
    RETURNING environment_id, day)
  INSERT INTO viewer_day (environment_id, day, subject) SELECT environment_id, day, $2 FROM former ON CONFLICT DO NOTHING`;

/** Of the viewer's environments only, and with the subject as a whole text: every entry is MessagePack, which writes its length before it. */
const entries = `
  DELETE FROM event_set_aside WHERE named_ids && $2::uuid[] AND position($1::bytea IN entry) > 0`;
