import type { RequestEvent } from '@multi-drm/slots';

/** A refusal of which only the viewer and the code are known. */
export function refusal(changes: Partial<RequestEvent> = {}): RequestEvent {
  return {
    kind: 'session.refused',
    environmentId: 'environment-1',
    subject: 'viewer-1',
    sessionId: null,
    reservationId: null,
    at: 1_790_000_000_000,
    count: 1,
    code: 'subject_blocked',
    limit: null,
    activeSessions: null,
    backend: null,
    vendorStatus: null,
    milliseconds: null,
    contentId: null,
    contentType: null,
    drmSystem: null,
    applicationId: null,
    clientPlatform: null,
    ...changes,
  };
}
