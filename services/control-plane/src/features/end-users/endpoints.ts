import { endpoint } from '../../access/endpoint';
import { pageOf } from '../../stores/page';
import { changeOf, conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { EndUserService } from './end-user-service';

/** The operations on end users, with their service. */
export function endUserEndpoints(options: FeatureOptions) {
  const endUsers = new EndUserService(options);
  return [
    endpoint({
      operationId: 'listEndUsers',
      access: { permission: 'end-users:read', scope: 'project' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await endUsers.list(params.projectId, query, pageOf(query)),
      }),
    }),
    endpoint({
      operationId: 'synchronizeEndUser',
      access: { permission: 'end-users:write', scope: 'project' },
      handle: async (input) => endUsers.synchronize(input.params.projectId, input.body, changeOf(input)),
    }),
    endpoint({
      operationId: 'getEndUser',
      access: { permission: 'end-users:read', scope: 'endUser' },
      handle: async ({ params }) => endUsers.read(params.userId),
    }),
    endpoint({
      operationId: 'updateEndUser',
      access: { permission: 'end-users:write', scope: 'endUser' },
      handle: async (input) => endUsers.update(input.params.userId, input.body, updateOf(input)),
    }),
    endpoint({
      operationId: 'blockEndUser',
      access: { permission: 'end-users:block', scope: 'endUser' },
      handle: async (input) => endUsers.setStatus(input.params.userId, 'blocked', conditionalChangeOf(input)),
    }),
    endpoint({
      operationId: 'unblockEndUser',
      access: { permission: 'end-users:block', scope: 'endUser' },
      handle: async (input) => endUsers.setStatus(input.params.userId, 'active', conditionalChangeOf(input)),
    }),
    endpoint({
      operationId: 'eraseEndUser',
      access: { permission: 'end-users:write', scope: 'endUser' },
      handle: async (input) => {
        await endUsers.erase(input.params.userId, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
  ];
}
