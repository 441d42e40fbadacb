import { endpoint } from '../../access/endpoint';
import type { ApiClientService } from './api-client-service';

export const createApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'createApiClient',
    access: { permission: 'api-clients:write', scope: 'project' },
    handle: async ({ params, body }) => ({ status: 200, body: await apiClients.create(params.projectId, body) }),
  });
