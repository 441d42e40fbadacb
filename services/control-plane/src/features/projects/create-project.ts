import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { ProjectService } from './project-service';

export const createProject = (projects: ProjectService) =>
  endpoint({
    operationId: 'createProject',
    access: { permission: 'projects:write', scope: 'organization' },
    handle: async (input) => projects.create(input.params.organizationId, input.body, changeOf(input)),
  });
