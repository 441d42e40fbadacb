import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import { reached, type SessionSlots } from '../../active-sessions/session-slots';
import type { Database } from '../../database/database';
import type { Change } from '../../records/change';
import type { Changes } from '../../records/changes';
import type { OpenChange } from '../../records/open-change';
import { requireUnarchived } from '../../records/require-unarchived';
import { listSubjectsOfSession } from '../../stores/sessions';
import { severalSubjects } from './several-subjects';

type TerminatedSessionsResponse = ControlPlaneSchemas['TerminatedSessionsResponse'];

/** How many subjects with the same session id are looked up at playback without being named. */
const maximumSubjects = 10;

interface TerminationServiceOptions {
  database: Database;
  changes: Changes;
  /** Stores what playback has reported until now. */
  readEvents: () => Promise<void>;
  sessionSlots: SessionSlots;
}

interface ActiveSession {
  sessionId: string;
  subject: string;
  /** The reservation that the session must still have; null: whatever it has. */
  reservationId: string | null;
}

/**
 * Ends active sessions. The audit events are committed first: no session ends without one. If playback's data store fails then, the
 * caller learns it and repeats the call.
 */
export class TerminationService {
  constructor(private readonly options: TerminationServiceOptions) {}

  /** Ends the session with this id. Throws `not_found`, and `conflict` if several subjects have active sessions with it. */
  async terminate(
    environmentId: string,
    sessionId: string,
    subject: string | undefined,
    change: Change,
  ): Promise<TerminatedSessionsResponse> {
    const { database, sessionSlots, readEvents } = this.options;
    const isStored = (await listSubjectsOfSession(database, environmentId, sessionId, 1)).length > 0;
    if (!isStored && subject === undefined) await reached(readEvents());
    return this.end(environmentId, change, async ({ transaction }) => {
      const stored = await listSubjectsOfSession(transaction, environmentId, sessionId, maximumSubjects + 1);
      const subjects = subject === undefined ? stored : [subject];
      if (subjects.length > maximumSubjects) throw severalSubjects();
      const found = await Promise.all(
        subjects.map(async (one) => ({
          subject: one,
          session: await sessionSlots.find({ environmentId, subject: one, sessionId }),
        })),
      );
      // A session that has just started is known at playback before it is stored.
      const known = found.filter(({ subject: one, session }) => session.state !== 'unknown' || stored.includes(one));
      if (known.length === 0) throw new Problem('not_found', 'There is no such session.');
      const active = found.flatMap(({ subject: one, session }) =>
        session.state === 'reserved' ? [{ sessionId, subject: one, reservationId: session.reservationId }] : [],
      );
      if (active.length > 1) throw severalSubjects();
      return active;
    });
  }

  /** Ends all sessions that a viewer has now. */
  async terminateAll(environmentId: string, subject: string, change: Change): Promise<TerminatedSessionsResponse> {
    return this.end(environmentId, change, async () => {
      const active = await this.options.sessionSlots.listSubject(environmentId, subject);
      return active.map(({ sessionId }) => ({ sessionId, subject, reservationId: null }));
    });
  }

  private async end(
    environmentId: string,
    change: Change,
    find: (open: OpenChange) => Promise<ActiveSession[]>,
  ): Promise<TerminatedSessionsResponse> {
    const { changes, sessionSlots } = this.options;
    const sessions = await changes.run(change, async (open) => {
      await requireUnarchived(open.transaction, 'environment', environmentId);
      const active = await find(open);
      for (const { sessionId } of active) await open.recordTermination(environmentId, sessionId);
      return active;
    });
    await Promise.all(sessions.map((session) => sessionSlots.terminate({ environmentId, ...session })));
    return { sessionIds: sessions.map(({ sessionId }) => sessionId) };
  }
}
