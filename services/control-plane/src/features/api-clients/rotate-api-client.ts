import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { ApiClientService } from './api-client-service';

export const rotateApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'rotateApiClient',
    access: { permission: 'api-clients:write', scope: 'apiClient' },
    handle: async (input) => {
      const { params, body = {} } = input;
      const { apiClient, etag } = await apiClients.rotate(params.apiClientId, body, conditionalChangeOf(input));
      return { status: 200, body: apiClient, headers: { ETag: etag } };
    },
  });
