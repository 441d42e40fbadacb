import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ProjectService } from './project-service';

export const createProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'createProject',
    access: { permission: 'projects:write', scope: 'organization' },
    handle: async (input) => {
      const { project, etag } = await projects.create(input.params.organizationId, input.body, changeOf(input));
      return { status: 200, body: project, headers: { ETag: etag } };
    },
  });
