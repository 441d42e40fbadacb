import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { EndUserService } from './end-user-service';

export const updateEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'updateEndUser',
    access: { permission: 'end-users:write', scope: 'endUser' },
    handle: async (input) => {
      const { params, body, request } = input;
      const ifMatch = request.get('If-Match');
      const { endUser, etag } = await endUsers.update(params.userId, ifMatch, body, changeOf(input));
      return { status: 200, body: endUser, headers: { ETag: etag } };
    },
  });
