import { endpoint } from '../../access/endpoint';
import { narrowed } from '../../records/narrowed';
import type { ProjectService } from './project-service';

export const listProjects = (projects: ProjectService) =>
  endpoint({
    operationId: 'listProjects',
    access: { permission: 'projects:read', scope: 'organization' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: narrowed(await projects.list(params.organizationId, query.status ?? 'active'), query),
    }),
  });
