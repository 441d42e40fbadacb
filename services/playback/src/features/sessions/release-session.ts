import { endpoint } from '../../access/access';
import type { SlotStore } from '../../slots/slot-store';
import { calledSession } from './session-caller';

/** POST /environments/{siteId}/sessions/{sessionId}/release: a player, or a backend, gives the slot back. */
export const releaseSession = (slots: Pick<SlotStore, 'release'>) =>
  endpoint({
    operationId: 'releasePlaybackSession',
    access: { licenseTokenOrApiClient: 'sessions:release', givesUpRight: true },
    async handle({ context, params, body }) {
      const { session, token } = calledSession(context, params.sessionId, body);
      const reason = (token === null ? body?.reason : undefined) ?? 'ended';
      await slots.release({ ...session, reservationId: token?.reservationId ?? null, reason });
      return { status: 204 };
    },
  });
