import { endpoint } from '../../access/endpoint';
import type { Database } from '../../database/database';
import { filterAndSort } from '../../records/filter-and-sort';
import type { EnvironmentService } from './environment-service';

export const listEnvironments = (environments: EnvironmentService, database: Database) =>
  endpoint({
    operationId: 'listEnvironments',
    access: { permission: 'environments:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await filterAndSort(database, await environments.list(params.projectId, query.status ?? 'active'), query),
    }),
  });
