import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { EndUserService } from './end-user-service';

export const blockEndUser = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'blockEndUser',
    access: { permission: 'end-users:block', scope: 'endUser' },
    handle: async (input) => endUsers.setStatus(input.params.userId, 'blocked', conditionalChangeOf(input)),
  });
