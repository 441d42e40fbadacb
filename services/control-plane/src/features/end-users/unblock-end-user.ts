import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { EndUserService } from './end-user-service';

export const unblockEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'unblockEndUser',
    access: { permission: 'end-users:block', scope: 'endUser' },
    handle: async (input) => endUsers.setStatus(input.params.userId, 'active', conditionalChangeOf(input)),
  });
