import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { TerminationService } from './termination-service';

export const terminateSessions = (terminations: TerminationService) =>
  endpoint({
    operationId: 'terminateSessions',
    access: { permission: 'sessions:terminate', scope: 'environment' },
    handle: async (input) => ({
      status: 200,
      body: await terminations.terminateAll(input.params.environmentId, input.body.subject, changeOf(input)),
    }),
  });
