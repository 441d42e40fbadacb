import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { ProjectService } from './project-service';

export const updateProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'updateProject',
    access: { permission: 'projects:write', scope: 'project' },
    handle: async (input) => projects.update(input.params.projectId, input.body, updateOf(input)),
  });
