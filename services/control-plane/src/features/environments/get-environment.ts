import { endpoint } from '../../access/endpoint';
import type { EnvironmentService } from './environment-service';

export const getEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'getEnvironment',
    access: { permission: 'environments:read', scope: 'environment' },
    handle: async ({ params }) => {
      const { environment, etag } = await environments.read(params.environmentId);
      return { status: 200, body: environment, headers: { ETag: etag } };
    },
  });
