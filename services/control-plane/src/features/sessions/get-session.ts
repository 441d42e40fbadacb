import { endpoint } from '../../access/endpoint';
import type { SessionService } from './session-service';

export const getSession = (sessions: SessionService) =>
  endpoint({
    operationId: 'getSession',
    access: { permission: 'sessions:read', scope: 'environment' },
    handle: async ({ params: { environmentId, sessionId }, query: { subject } }) => ({
      status: 200,
      body: await sessions.read(environmentId, sessionId, subject),
    }),
  });
