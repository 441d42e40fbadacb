import { endpoint } from '../../access/endpoint';
import { filterAndSort } from '../../records/filter-and-sort';
import type { EnvironmentService } from './environment-service';

export const listEnvironments = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'listEnvironments',
    access: { permission: 'environments:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: filterAndSort(await environments.list(params.projectId, query.status ?? 'active'), query),
    }),
  });
