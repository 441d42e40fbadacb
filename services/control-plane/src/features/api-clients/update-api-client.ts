import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ApiClientService } from './api-client-service';

export const updateApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'updateApiClient',
    access: { permission: 'api-clients:write', scope: 'apiClient' },
    handle: async (input) => {
      const { params, body, request } = input;
      const ifMatch = request.get('If-Match');
      const { apiClient, etag } = await apiClients.update(params.apiClientId, ifMatch, body, changeOf(input));
      return { status: 200, body: apiClient, headers: { ETag: etag } };
    },
  });
