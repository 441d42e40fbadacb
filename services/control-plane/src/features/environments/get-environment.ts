import { endpoint } from '../../access/endpoint';
import type { EnvironmentService } from './environment-service';

export const getEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'getEnvironment',
    access: { permission: 'environments:read', scope: 'environment' },
    handle: async ({ params }) => environments.read(params.environmentId),
  });
