import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { ApiClientService } from './api-client-service';

export const updateApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'updateApiClient',
    access: { permission: 'api-clients:write', scope: 'apiClient' },
    handle: async (input) => apiClients.update(input.params.apiClientId, input.body, updateOf(input)),
  });
