import type { SessionSlots } from '../../active-sessions/session-slots';
import type { FeatureOptions } from '../feature-options';
import { getSession } from './get-session';
import { listSessions } from './list-sessions';
import { SessionService } from './session-service';
import { terminateSession } from './terminate-session';
import { terminateSessions } from './terminate-sessions';
import { TerminationService } from './termination-service';

interface SessionEndpointsOptions extends FeatureOptions {
  /** The active sessions at playback. */
  sessionSlots: SessionSlots;
  /** Stores what playback has told until now. */
  readEvents: () => Promise<void>;
}

/** The operations on sessions, with their services. */
export function sessionEndpoints(options: SessionEndpointsOptions) {
  const sessions = new SessionService(options);
  const terminations = new TerminationService(options);
  return [
    listSessions(sessions),
    getSession(sessions),
    terminateSession(terminations),
    terminateSessions(terminations),
  ];
}
