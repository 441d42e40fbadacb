import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { ProjectService } from './project-service';

export const archiveProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'archiveProject',
    access: { permission: 'projects:write', scope: 'project' },
    handle: async (input) => {
      const { params, query } = input;
      await projects.archive(params.projectId, query.cascade ?? false, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
