import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { TerminationService } from './termination-service';

export const terminateSession = (terminations: TerminationService) =>
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
  });
