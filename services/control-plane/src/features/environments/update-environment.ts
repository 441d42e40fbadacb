import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { EnvironmentService } from './environment-service';

export const updateEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'updateEnvironment',
    access: { permission: 'environments:write', scope: 'environment' },
    handle: async (input) => {
      const { params, body, request } = input;
      const ifMatch = request.get('If-Match');
      const { environment, etag } = await environments.update(params.environmentId, ifMatch, body, changeOf(input));
      return { status: 200, body: environment, headers: { ETag: etag } };
    },
  });
