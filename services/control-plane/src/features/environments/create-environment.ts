import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { EnvironmentService } from './environment-service';

export const createEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'createEnvironment',
    access: { permission: 'environments:write', scope: 'project' },
    handle: async (input) => environments.create(input.params.projectId, input.body, changeOf(input)),
  });
