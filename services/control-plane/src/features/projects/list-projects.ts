import { endpoint } from '../../access/endpoint';
import type { ProjectService } from './project-service';

export const listProjects = (projects: ProjectService) =>
  endpoint({
    operationId: 'listProjects',
    access: { permission: 'projects:read', scope: 'organization' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await projects.list(params.organizationId, query.status ?? 'active'),
    }),
  });
