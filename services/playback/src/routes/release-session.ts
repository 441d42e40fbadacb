import { endpoint } from '../../access/access';
import { isSessionId } from '../../sessions/session-identity';
import { type ReleaseParts, releaseOrRemember } from './release-or-remember';
import { calledSession } from './session-caller';

/** POST /environments/{siteId}/sessions/{sessionId}/release: a player or a backend ends the session. */
export const releaseSession = (parts: ReleaseParts) =>
  endpoint({
    operationId: 'releasePlaybackSession',
    access: { licenseTokenOrApiClient: 'sessions:release', countsCalls: false },
    async handle({ context, params, body }) {
      const called = calledSession(context, params.sessionId, body);
      // No session can have such an id, so there is nothing to remember.
      if (!isSessionId(called.session.sessionId)) return { status: 204 };
      const clientId = context.kind === 'api-client' ? context.client.clientId : null;
      const reason = (called.token === null ? body?.reason : undefined) ?? 'ended';
      await releaseOrRemember(parts, called, clientId, reason);
      return { status: 204 };
    },
  });
