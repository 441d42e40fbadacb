import { type RequestEvent, unknownMembers } from '@multi-drm/slots';

/** A refusal of which only the viewer and the code are known. */
export function refusal(changes: Partial<RequestEvent> = {}): RequestEvent {
  return {
    ...unknownMembers,
    kind: 'session.refused',
    environmentId: 'environment-1',
    subject: 'viewer-1',
    at: 1_790_000_000_000,
    count: 1,
    code: 'subject_blocked',
    ...changes,
  };
}
