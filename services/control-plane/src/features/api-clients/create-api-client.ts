import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ApiClientService } from './api-client-service';

export const createApiClient = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'createApiClient',
    access: { permission: 'api-clients:write', scope: 'project' },
    handle: async (input) => ({
      status: 200,
      body: await apiClients.create(input.params.projectId, input.body, changeOf(input)),
    }),
  });
