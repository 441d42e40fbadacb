import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { EnvironmentService } from './environment-service';

export const createEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'createEnvironment',
    access: { permission: 'environments:write', scope: 'project' },
    handle: async (input) => {
      const { environment, etag } = await environments.create(input.params.projectId, input.body, changeOf(input));
      return { status: 200, body: environment, headers: { ETag: etag } };
    },
  });
