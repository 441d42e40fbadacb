import { endpoint } from '../access/access';
import { calledSession } from '../access/called-session';
import { type ReleaseParts, releaseOrRemember } from '../sessions/release-or-remember';
import { isSessionId } from '../sessions/session-identity';

/** POST /environments/{siteId}/sessions/{sessionId}/release: a player or a backend ends the session. */
export const releaseSession = (parts: ReleaseParts) =>
  endpoint({
    operationId: 'releasePlaybackSession',
    access: { licenseTokenOrApiClient: 'sessions:release', countsCalls: false },
    async handle({ context, params, body }) {
      const { session, token } = calledSession(context, params.sessionId, body);
      // No session can have such an id, so there is nothing to remember.
      if (!isSessionId(session.sessionId)) return { status: 204 };
      const clientId = context.kind === 'api-client' ? context.client.clientId : null;
      const reason = (token === null ? body?.reason : undefined) ?? 'ended';
      await releaseOrRemember(parts, session, token, clientId, reason);
      return { status: 204 };
    },
  });
