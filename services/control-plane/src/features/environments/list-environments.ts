import { endpoint } from '../../access/endpoint';
import { narrowed } from '../../records/narrowed';
import type { EnvironmentService } from './environment-service';

export const listEnvironments = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'listEnvironments',
    access: { permission: 'environments:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: narrowed(await environments.list(params.projectId, query.status ?? 'active'), query),
    }),
  });
