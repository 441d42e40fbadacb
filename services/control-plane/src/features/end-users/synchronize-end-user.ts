import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { EndUserService } from './end-user-service';

export const synchronizeEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'synchronizeEndUser',
    access: { permission: 'end-users:write', scope: 'project' },
    handle: async (input) => {
      const { endUser, etag } = await endUsers.synchronize(input.params.projectId, input.body, changeOf(input));
      return { status: 200, body: endUser, headers: { ETag: etag } };
    },
  });
