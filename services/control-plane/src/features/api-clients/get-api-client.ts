import { endpoint } from '../../access/endpoint';
import type { ApiClientService } from './api-client-service';

export const getApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'getApiClient',
    access: { permission: 'api-clients:read', scope: 'apiClient' },
    handle: async ({ params }) => apiClients.read(params.apiClientId),
  });
