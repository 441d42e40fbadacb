import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { ApiClientService } from './api-client-service';

export const createApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'createApiClient',
    access: { permission: 'api-clients:write', scope: 'project' },
    handle: async (input) => apiClients.create(input.params.projectId, input.body, changeOf(input)),
  });
