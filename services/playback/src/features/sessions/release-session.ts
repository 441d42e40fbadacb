import { endpoint } from '../../access/access';
import type { SlotStore } from '../../slots/slot-store';
import { calledSession } from './session-caller';
import { isSessionId } from './session-identity';

/** POST /environments/{siteId}/sessions/{sessionId}/release: a player, or a backend, gives the slot back. */
export const releaseSession = (slots: Pick<SlotStore, 'release'>) =>
  endpoint({
    operationId: 'releasePlaybackSession',
    access: { licenseTokenOrApiClient: 'sessions:release', givesUpRight: true },
    async handle({ context, params, body }) {
      const { session, token } = calledSession(context, params.sessionId, body);
      // No session has had, or will have, such an id: there is nothing to remember.
      if (!isSessionId(session.sessionId)) return { status: 204 };
      const reason = (token === null ? body?.reason : undefined) ?? 'ended';
      await slots.release({ ...session, reservationId: token?.reservationId ?? null, reason });
      return { status: 204 };
    },
  });
