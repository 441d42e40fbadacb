import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ApiClientService } from './api-client-service';

export const rotateApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'rotateApiClient',
    access: { permission: 'api-clients:write', scope: 'apiClient' },
    handle: async (input) => ({
      status: 200,
      body: await apiClients.rotate(input.params.apiClientId, input.body ?? {}, changeOf(input)),
    }),
  });
