import { endpoint } from '../../access/endpoint';
import type { Database } from '../../database/database';
import { filterAndSort } from '../../records/filter-and-sort';
import type { ApiClientService } from './api-client-service';

export const listApiClients = (apiClients: ApiClientService, database: Database) =>
  endpoint({
    operationId: 'listApiClients',
    access: { permission: 'api-clients:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await filterAndSort(database, await apiClients.list(params.projectId), query),
    }),
  });
