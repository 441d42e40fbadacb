import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { EnvironmentService } from './environment-service';

export const updateEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'updateEnvironment',
    access: { permission: 'environments:write', scope: 'environment' },
    handle: async (input) => environments.update(input.params.environmentId, input.body, updateOf(input)),
  });
