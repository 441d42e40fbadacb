import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { ProjectService } from './project-service';

export const archiveProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'archiveProject',
    access: { permission: 'projects:write', scope: 'project' },
    handle: async (input) => {
      await projects.archive(input.params.projectId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
