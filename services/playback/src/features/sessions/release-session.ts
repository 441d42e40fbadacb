import { callerOf, endpoint } from '../../access/access';
import type { SessionService } from './session-service';

/** POST /environments/{siteId}/sessions/{sessionId}/release: the player gives its slot back. */
export const releaseSession = (sessions: SessionService) =>
  endpoint({
    operationId: 'releasePlaybackSession',
    access: 'license-token',
    async handle({ context }) {
      await sessions.release(callerOf(context, 'license-token').token);
      return { status: 204 };
    },
  });
