import { endpoint } from '../../access/endpoint';
import type { EnvironmentService } from './environment-service';

export const updateEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'updateEnvironment',
    access: { permission: 'environments:write', scope: 'environment' },
    handle: async ({ params, body, request }) => {
      const ifMatch = request.get('If-Match');
      const { environment, etag } = await environments.update(params.environmentId, ifMatch, body);
      return { status: 200, body: environment, headers: { ETag: etag } };
    },
  });
