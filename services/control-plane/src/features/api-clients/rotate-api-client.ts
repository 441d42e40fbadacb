import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { ApiClientService } from './api-client-service';

export const rotateApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'rotateApiClient',
    access: { permission: 'api-clients:write', scope: 'apiClient' },
    handle: async (input) => apiClients.rotate(input.params.apiClientId, input.body ?? {}, conditionalChangeOf(input)),
  });
