import { endpoint } from '../../access/endpoint';
import type { ApiClientService } from './api-client-service';

export const listApiClients = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'listApiClients',
    access: { permission: 'api-clients:read', scope: 'project' },
    handle: async ({ params }) => ({ status: 200, body: await apiClients.list(params.projectId) }),
  });
