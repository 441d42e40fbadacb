import { endpoint } from '../../access/endpoint';
import type { ApiClientService } from './api-client-service';

export const getApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'getApiClient',
    access: { permission: 'api-clients:read', scope: 'apiClient' },
    handle: async ({ params }) => {
      const { apiClient, etag } = await apiClients.read(params.apiClientId);
      return { status: 200, body: apiClient, headers: { ETag: etag } };
    },
  });
