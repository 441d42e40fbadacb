import { endpoint } from '../access/access';
import { calledSession } from '../access/called-session';
import { type RenewalParts, renewPlaybackSession } from '../sessions/session-renewal';

/** POST /environments/{siteId}/sessions/{sessionId}/renew: a player or a backend extends the session. */
export const renewSession = (parts: RenewalParts) =>
  endpoint({
    operationId: 'renewPlaybackSession',
    access: { licenseTokenOrApiClient: 'license-tokens:create', countsCalls: true },
    async handle({ context, params, body }) {
      const { session, token } = calledSession(context, params.sessionId, body);
      return { status: 200, body: await renewPlaybackSession(parts, session, token) };
    },
  });
