import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ApiClientService } from './api-client-service';

export const createApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'createApiClient',
    access: { permission: 'api-clients:write', scope: 'project' },
    handle: async (input) => {
      const { apiClient, etag } = await apiClients.create(input.params.projectId, input.body, changeOf(input));
      return { status: 200, body: apiClient, headers: { ETag: etag } };
    },
  });
