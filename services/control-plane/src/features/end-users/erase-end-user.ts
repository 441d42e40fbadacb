import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { EndUserService } from './end-user-service';

export const eraseEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'eraseEndUser',
    access: { permission: 'end-users:write', scope: 'endUser' },
    handle: async (input) => {
      await endUsers.erase(input.params.userId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
