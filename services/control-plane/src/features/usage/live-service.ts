import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import { reached, type SessionSlots } from '../../active-sessions/session-slots';
import type { Database } from '../../database/database';
import { readEnvironmentScope } from '../../stores/environments';
import { countOpenSessions } from '../../stores/sessions';
import type { Dimension } from '../../usage/dimensions';
import { readPlanLimits } from './plan-limits';

/** How many groups an answer has at most. */
const largestGroups = 100;

interface LiveServiceOptions {
  database: Database;
  activeSessions: Pick<ActiveSessionCounter, 'countOf'>;
  sessionSlots: Pick<SessionSlots, 'countStreams'>;
  /** Until when what playback has reported is stored. Rejects if Redis is unavailable. */
  storedUntil: () => Promise<Date>;
  now: () => Date;
}

/** The streams of this moment, and how near the limits of the plan are. */
export class LiveService {
  constructor(private readonly options: LiveServiceOptions) {}

  /** Throws `service_unavailable` while Redis cannot be reached. */
  async read(environmentId: string, groupBy: Dimension | null): Promise<ControlPlaneSchemas['LiveResponse']> {
    const { database, activeSessions, sessionSlots, now } = this.options;
    const scope = await readEnvironmentScope(database, environmentId);
    const asOf = now().toISOString();
    const [concurrentStreams, groups, limits] = await Promise.all([
      reached(activeSessions.countOf(scope.id)),
      this.groups(scope.id, groupBy),
      readPlanLimits(database, sessionSlots, scope),
    ]);
    return { asOf, concurrentStreams, groupBy, ...groups, planId: scope.planId, limits };
  }

  private async groups(environmentId: string, groupBy: Dimension | null) {
    if (groupBy === null) return { groupsCompleteUntil: null, groups: [], omittedGroups: 0 };
    // Read first, so that the groups are not older.
    const until = await reached(this.options.storedUntil());
    const found = await countOpenSessions(this.options.database, environmentId, groupBy, largestGroups);
    return {
      groupsCompleteUntil: until.toISOString(),
      groups: found.map(({ value, count }) => ({ value, concurrentStreams: count })),
      omittedGroups: (found[0]?.values ?? 0) - found.length,
    };
  }
}
