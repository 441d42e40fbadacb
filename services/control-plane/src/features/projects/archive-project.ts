import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ProjectService } from './project-service';

export const archiveProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'archiveProject',
    access: { permission: 'projects:write', scope: 'project' },
    handle: async (input) => {
      await projects.archive(input.params.projectId, changeOf(input));
      return { status: 204 };
    },
  });
