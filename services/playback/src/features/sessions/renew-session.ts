import { endpoint } from '../../access/access';
import { calledSession } from './session-caller';
import type { SessionRenewer } from './session-renewer';

/** POST /environments/{siteId}/sessions/{sessionId}/renew: a player or a backend extends the session. */
export const renewSession = (sessions: SessionRenewer) =>
  endpoint({
    operationId: 'renewPlaybackSession',
    access: { licenseTokenOrApiClient: 'license-tokens:create', countsCalls: true },
    async handle({ context, params, body }) {
      const { session, token } = calledSession(context, params.sessionId, body);
      return { status: 200, body: await sessions.renew(session, token) };
    },
  });
