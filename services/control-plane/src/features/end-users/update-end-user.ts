import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { EndUserService } from './end-user-service';

export const updateEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'updateEndUser',
    access: { permission: 'end-users:write', scope: 'endUser' },
    handle: async (input) => endUsers.update(input.params.userId, input.body, updateOf(input)),
  });
