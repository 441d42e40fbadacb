import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ProjectService } from './project-service';

export const updateProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'updateProject',
    access: { permission: 'projects:write', scope: 'project' },
    handle: async (input) => {
      const { params, body, request } = input;
      const { project, etag } = await projects.update(params.projectId, request.get('If-Match'), body, changeOf(input));
      return { status: 200, body: project, headers: { ETag: etag } };
    },
  });
