import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import type { SessionSlots } from '../../active-sessions/session-slots';
import type { Database } from '../../database/database';
import { sessionResponse } from '../../responses/sessions';
import { findNewestSession, listSessions, listSubjectsOfSession, type SessionRecord } from '../../stores/sessions';
import { cursorAfterSession, type SessionQuery } from './session-query';
import { severalSubjects } from './several-subjects';

type SessionResponse = ControlPlaneSchemas['SessionResponse'];

interface SessionServiceOptions {
  database: Database;
  sessionSlots: SessionSlots;
}

/** The sessions of an environment: ended ones as they are stored, active ones as playback has them now. */
export class SessionService {
  constructor(private readonly options: SessionServiceOptions) {}

  async list(
    environmentId: string,
    { filter, limit, after }: SessionQuery,
  ): Promise<ControlPlaneSchemas['SessionsResponse']> {
    // One extra session shows whether there is another page.
    const found = await listSessions(this.options.database, environmentId, filter, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const items = await this.complete(environmentId, page);
    return {
      // Of sessions whose end is not stored yet, playback may know the end.
      items: filter.status === undefined ? items : items.filter(({ status }) => status === filter.status),
      nextCursor: last === undefined ? null : cursorAfterSession(environmentId, last),
    };
  }

  /** Throws `not_found`, and `conflict` if several subjects have used the id and none is given. */
  async read(environmentId: string, sessionId: string, subject: string | undefined): Promise<SessionResponse> {
    const { database } = this.options;
    const session = await findNewestSession(database, environmentId, sessionId, subject);
    if (session === null) throw new Problem('not_found', 'There is no such session.');
    if (subject === undefined && (await listSubjectsOfSession(database, environmentId, sessionId, 2)).length > 1) {
      throw severalSubjects();
    }
    const [response] = await this.complete(environmentId, [session]);
    if (response === undefined) throw new Error('a session has no response');
    return response;
  }

  /** The responses of sessions of one environment. A session that was lost and ended by its stored end stays ended. */
  private async complete(environmentId: string, sessions: SessionRecord[]): Promise<SessionResponse[]> {
    const open = sessions.filter(({ endedAt }) => endedAt === null);
    const active = await this.options.sessionSlots.readActive(environmentId, open);
    return sessions.map((session) =>
      sessionResponse(session, session.endedAt === null ? active.get(session.reservationId) : undefined),
    );
  }
}
