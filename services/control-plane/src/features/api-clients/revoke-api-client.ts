import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { ApiClientService } from './api-client-service';

export const revokeApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'revokeApiClient',
    access: { permission: 'api-clients:revoke', scope: 'apiClient' },
    handle: async (input) => {
      await apiClients.revoke(input.params.apiClientId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
