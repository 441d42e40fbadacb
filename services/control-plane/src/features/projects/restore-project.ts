import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { ProjectService } from './project-service';

export const restoreProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'restoreProject',
    access: { permission: 'projects:write', scope: 'project', restores: true },
    handle: async (input) => projects.restore(input.params.projectId, conditionalChangeOf(input)),
  });
