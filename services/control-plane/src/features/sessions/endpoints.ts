import { endpoint } from '../../access/endpoint';
import type { SessionSlots } from '../../active-sessions/session-slots';
import { changeOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { sessionQueryOf } from './session-query';
import { SessionService } from './session-service';
import { TerminationService } from './termination-service';

interface SessionEndpointsOptions extends FeatureOptions {
  /** The active sessions at playback. */
  sessionSlots: SessionSlots;
  /** Stores what playback has reported until now. */
  readEvents: () => Promise<void>;
}

/** The operations on sessions, with their services. */
export function sessionEndpoints(options: SessionEndpointsOptions) {
  const sessions = new SessionService(options);
  const terminations = new TerminationService(options);
  return [
    endpoint({
      operationId: 'listSessions',
      access: { permission: 'sessions:read', scope: 'environment' },
      handle: async ({ params: { environmentId }, query }) => ({
        status: 200,
        body: await sessions.list(environmentId, sessionQueryOf(environmentId, query)),
      }),
    }),
    endpoint({
      operationId: 'getSession',
      access: { permission: 'sessions:read', scope: 'environment' },
      handle: async ({ params: { environmentId, sessionId }, query: { subject } }) => ({
        status: 200,
        body: await sessions.read(environmentId, sessionId, subject),
      }),
    }),
    endpoint({
      operationId: 'terminateSession',
      access: { permission: 'sessions:terminate', scope: 'environment' },
      handle: async (input) => {
        const { params, body } = input;
        const { environmentId, sessionId } = params;
        return {
          status: 200,
          body: await terminations.terminate(environmentId, sessionId, body?.subject, changeOf(input)),
        };
      },
    }),
    endpoint({
      operationId: 'terminateSessions',
      access: { permission: 'sessions:terminate', scope: 'environment' },
      handle: async (input) => ({
        status: 200,
        body: await terminations.terminateAll(input.params.environmentId, input.body.subject, changeOf(input)),
      }),
    }),
  ];
}
