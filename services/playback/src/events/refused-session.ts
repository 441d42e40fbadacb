import { Problem } from '@multi-drm/contracts';
import type { RequestEvent } from '@multi-drm/slots';
import type { RequestEventRecorder } from './request-event-recorder';

/** A session whose create or renewal is refused, as far as it is known. */
export type RefusedSession = Pick<
  RequestEvent,
  | 'environmentId'
  | 'subject'
  | 'sessionId'
  | 'reservationId'
  | 'contentId'
  | 'contentType'
  | 'drmSystem'
  | 'applicationId'
  | 'clientPlatform'
>;

/** Statuses of calls that were wrong or had no valid credential: no rule has refused the session. */
const notRefused = new Set([400, 401]);

/** Records that a create or a renewal has failed with this error, if a rule has refused it. */
export function recordRefusal(
  events: Pick<RequestEventRecorder, 'record'>,
  error: unknown,
  session: () => RefusedSession,
): void {
  if (!(error instanceof Problem) || error.status >= 500 || notRefused.has(error.status)) return;
  const { limit, activeSessions } = error.members;
  const hasLimit = typeof limit === 'number' && Array.isArray(activeSessions);
  events.record({
    kind: 'session.refused',
    ...session(),
    code: error.code,
    limit: hasLimit ? limit : null,
    // The answer lists twenty at most.
    activeSessions: hasLimit ? Math.max(limit, activeSessions.length) : null,
    backend: null,
    vendorStatus: null,
    milliseconds: null,
  });
}
