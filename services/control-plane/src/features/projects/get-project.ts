import { endpoint } from '../../access/endpoint';
import type { ProjectService } from './project-service';

export const getProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'getProject',
    access: { permission: 'projects:read', scope: 'project' },
    handle: async ({ params }) => projects.read(params.projectId),
  });
