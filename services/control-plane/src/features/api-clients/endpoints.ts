import type { RandomBytes } from '../../access/credentials';
import { endpoint } from '../../access/endpoint';
import { filterAndSort } from '../../records/filter-and-sort';
import { changeOf, conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { ApiClientService } from './api-client-service';

/** The operations on API clients, with their service. */
export function apiClientEndpoints(options: FeatureOptions & { randomBytes: RandomBytes }) {
  const clients = new ApiClientService(options);
  return [
    endpoint({
      operationId: 'createApiClient',
      access: { permission: 'api-clients:write', scope: 'project' },
      handle: async (input) => clients.create(input.params.projectId, input.body, changeOf(input)),
    }),
    endpoint({
      operationId: 'listApiClients',
      access: { permission: 'api-clients:read', scope: 'project' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await filterAndSort(options.database, await clients.list(params.projectId), query),
      }),
    }),
    endpoint({
      operationId: 'getApiClient',
      access: { permission: 'api-clients:read', scope: 'apiClient' },
      handle: async ({ params }) => clients.read(params.apiClientId),
    }),
    endpoint({
      operationId: 'updateApiClient',
      access: { permission: 'api-clients:write', scope: 'apiClient' },
      handle: async (input) => clients.update(input.params.apiClientId, input.body, updateOf(input)),
    }),
    endpoint({
      operationId: 'rotateApiClient',
      access: { permission: 'api-clients:write', scope: 'apiClient' },
      handle: async (input) => clients.rotate(input.params.apiClientId, input.body ?? {}, conditionalChangeOf(input)),
    }),
    endpoint({
      operationId: 'revokeApiClient',
      access: { permission: 'api-clients:revoke', scope: 'apiClient' },
      handle: async (input) => {
        await clients.revoke(input.params.apiClientId, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
  ];
}
