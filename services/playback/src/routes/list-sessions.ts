import { invalidRequest } from '@multi-drm/contracts';
import { type ActiveSessionPage, InvalidCursor, type SlotStore } from '@multi-drm/slots';
import { callerOf, endpoint } from '../access/access';
import { withFormattedTimes } from '../sessions/format-session-times';

/** GET /environments/{siteId}/sessions: the active sessions of a viewer or of the environment. */
export const listSessions = (slots: Pick<SlotStore, 'listSubject' | 'listEnvironment'>) =>
  endpoint({
    operationId: 'listPlaybackSessions',
    access: { apiClient: ['sessions:read'] },
    async handle({ context, query: { subject, cursor, limit } }) {
      const { environmentId } = callerOf(context, 'api-client').environment;
      const page = { limit: Number(limit ?? 50), cursor };
      const { sessions, cursor: nextCursor } = await rejectingInvalidCursor(
        subject === undefined
          ? slots.listEnvironment(environmentId, page)
          : slots.listSubject(environmentId, subject, page),
      );
      return { status: 200, body: { items: sessions.map(withFormattedTimes), nextCursor } };
    },
  });

async function rejectingInvalidCursor(page: Promise<ActiveSessionPage>): Promise<ActiveSessionPage> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof InvalidCursor) throw invalidRequest({ cursor: ['is not a cursor of this list'] });
    throw error;
  }
}
