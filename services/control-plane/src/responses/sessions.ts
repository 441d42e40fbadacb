import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { ActiveState } from '../active-sessions/session-slots';
import type { SessionRecord } from '../stores/sessions';

type SessionResponse = ControlPlaneSchemas['SessionResponse'];

/** The API representation of a stored session. `active`: what playback has of it; undefined if it holds no slot. */
export function sessionResponse(session: SessionRecord, active: ActiveState | undefined): SessionResponse {
  const { contentType, drmSystem, reporting, endReason } = session;
  return {
    sessionId: session.sessionId,
    reservationId: session.reservationId,
    environmentId: session.environmentId,
    subject: session.subject,
    contentId: session.contentId,
    applicationId: session.applicationId,
    clientPlatform: session.clientPlatform,
    attemptId: session.attemptId,
    // Safe: only the reader of events writes sessions, with the values that playback has accepted.
    contentType: contentType as SessionResponse['contentType'],
    drmSystem: drmSystem as SessionResponse['drmSystem'],
    reporting: reporting as SessionResponse['reporting'],
    endReason: endReason as SessionResponse['endReason'],
    status: active === undefined ? 'ended' : 'active',
    startedAt: session.startedAt.toISOString(),
    expiresAt: (active?.expiresAt ?? session.expiresAt).toISOString(),
    endedAt: session.endedAt?.toISOString() ?? null,
    licenseRequests: active?.licenseRequests ?? session.licenseRequests,
  };
}
