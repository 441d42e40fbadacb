import { invalidRequest } from '@multi-drm/contracts';
import type { Caller } from '../../access/access';
import type { SessionReference } from '../../slots/slot-store';
import type { LicenseToken } from '../../tokens/license-token';

/** The session that a call is about, and the license token where a player calls. */
export interface CalledSession {
  session: SessionReference;
  token: LicenseToken | null;
}

/** The session that the token names; for an API client the one of the path, of the subject that its body must name. */
export function calledSession(caller: Caller, sessionId: string, body: { subject: string } | undefined): CalledSession {
  if (caller.kind === 'license-token') {
    const { environmentId, subject, sessionId: signed } = caller.token;
    return { session: { environmentId, subject, sessionId: signed }, token: caller.token };
  }
  if (caller.kind === 'public') throw new Error('the operation is not open to everybody');
  if (body === undefined) throw invalidRequest({ subject: ['is required'] });
  const { environmentId } = caller.environment;
  return { session: { environmentId, subject: body.subject, sessionId }, token: null };
}
