import { endpoint } from '../../access/endpoint';
import type { ProjectService } from './project-service';

export const createProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'createProject',
    access: { permission: 'projects:write', scope: 'organization' },
    handle: async ({ params, body }) => ({ status: 200, body: await projects.create(params.organizationId, body) }),
  });
