import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { EndUserService } from './end-user-service';

export const synchronizeEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'synchronizeEndUser',
    access: { permission: 'end-users:write', scope: 'project' },
    handle: async (input) => endUsers.synchronize(input.params.projectId, input.body, changeOf(input)),
  });
