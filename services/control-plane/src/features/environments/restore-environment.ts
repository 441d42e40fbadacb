import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { EnvironmentService } from './environment-service';

export const restoreEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'restoreEnvironment',
    access: { permission: 'environments:write', scope: 'environment', restores: true },
    handle: async (input) => environments.restore(input.params.environmentId, conditionalChangeOf(input)),
  });
