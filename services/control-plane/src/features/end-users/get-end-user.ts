import { endpoint } from '../../access/endpoint';
import type { EndUserService } from './end-user-service';

export const getEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'getEndUser',
    access: { permission: 'end-users:read', scope: 'endUser' },
    handle: async ({ params }) => endUsers.read(params.userId),
  });
