import { endpoint } from '../../access/endpoint';
import type { Database } from '../../database/database';
import { filterAndSort } from '../../records/filter-and-sort';
import type { RightsService } from './rights-service';

export const listRights = (service: RightsService, database: Database) =>
  endpoint({
    operationId: 'listRights',
    access: { permission: 'rights:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await filterAndSort(database, await service.list(params.projectId, query.status ?? 'active'), query),
    }),
  });
