import { endpoint } from '../../access/endpoint';
import type { EndUserService } from './end-user-service';

export const getEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'getEndUser',
    access: { permission: 'end-users:read', scope: 'endUser' },
    handle: async ({ params }) => {
      const { endUser, etag } = await endUsers.read(params.userId);
      return { status: 200, body: endUser, headers: { ETag: etag } };
    },
  });
