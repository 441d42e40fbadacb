import { endpoint } from '../../access/endpoint';
import { pageOf } from '../../stores/page';
import type { EndUserService } from './end-user-service';

export const listEndUsers = (endUsers: EndUserService) =>
  endpoint({
    operationId: 'listEndUsers',
    access: { permission: 'end-users:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await endUsers.list(params.projectId, query, pageOf(query)),
    }),
  });
