import { endpoint } from '../../access/endpoint';
import { sessionQueryOf } from './session-query';
import type { SessionService } from './session-service';

export const listSessions = (sessions: SessionService) =>
  endpoint({
    operationId: 'listSessions',
    access: { permission: 'sessions:read', scope: 'environment' },
    handle: async ({ params: { environmentId }, query }) => ({
      status: 200,
      body: await sessions.list(environmentId, sessionQueryOf(environmentId, query)),
    }),
  });
