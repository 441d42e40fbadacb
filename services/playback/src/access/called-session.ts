import { invalidRequest } from '@multi-drm/contracts';
import type { SessionReference } from '@multi-drm/slots';
import type { LicenseToken } from '../tokens/license-token';
import type { Caller } from './access';

/** The session that a call refers to, and the license token if a player calls. */
interface CalledSession {
  session: SessionReference;
  token: LicenseToken | null;
}

/** For a player, the session in its token. For an API client, the session in the path, of the subject in the body. */
export function calledSession(caller: Caller, sessionId: string, body: { subject: string } | undefined): CalledSession {
  if (caller.kind === 'license-token') {
    const { environmentId, subject, sessionId: signed } = caller.token;
    return { session: { environmentId, subject, sessionId: signed }, token: caller.token };
  }
  if (caller.kind === 'public') throw new Error('the operation requires a credential');
  if (body === undefined) throw invalidRequest({ subject: ['is required'] });
  const { environmentId } = caller.environment;
  return { session: { environmentId, subject: body.subject, sessionId }, token: null };
}
