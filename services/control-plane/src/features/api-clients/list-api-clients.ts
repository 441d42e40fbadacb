import { endpoint } from '../../access/endpoint';
import { filterAndSort } from '../../records/filter-and-sort';
import type { ApiClientService } from './api-client-service';

export const listApiClients = (apiClients: ApiClientService) =>
  endpoint({
    operationId: 'listApiClients',
    access: { permission: 'api-clients:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: filterAndSort(await apiClients.list(params.projectId), query),
    }),
  });
