import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { ProjectService } from './project-service';

export const restoreProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'restoreProject',
    access: { permission: 'projects:write', scope: 'project', restores: true },
    handle: async (input) => {
      const { project, etag } = await projects.restore(input.params.projectId, conditionalChangeOf(input));
      return { status: 200, body: project, headers: { ETag: etag } };
    },
  });
