import type { RandomBytes } from '../../access/credentials';
import { endpoint } from '../../access/endpoint';
import { filterAndSort } from '../../records/filter-and-sort';
import { changeOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { ManagementKeyService } from './management-key-service';

/** The operations on management keys, with their service. */
export function managementKeyEndpoints(options: FeatureOptions & { randomBytes: RandomBytes }) {
  const keys = new ManagementKeyService(options);
  return [
    endpoint({
      operationId: 'listManagementKeys',
      access: { permission: 'management-keys:read', scope: 'organization' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await filterAndSort(options.database, await keys.list(params.organizationId), query),
      }),
    }),
    endpoint({
      operationId: 'createManagementKey',
      access: { permission: 'management-keys:write', scope: 'organization' },
      handle: async (input) => ({
        status: 200,
        body: await keys.create(input.params.organizationId, input.body, changeOf(input)),
      }),
    }),
    endpoint({
      operationId: 'updateManagementKey',
      access: { permission: 'management-keys:write', scope: 'managementKey' },
      handle: async (input) => ({
        status: 200,
        body: await keys.rename(input.params.keyId, input.body.name, changeOf(input)),
      }),
    }),
    endpoint({
      operationId: 'rotateManagementKey',
      access: { permission: 'management-keys:write', scope: 'managementKey' },
      handle: async (input) => ({
        status: 200,
        body: await keys.rotate(input.params.keyId, input.body ?? {}, changeOf(input)),
      }),
    }),
    endpoint({
      operationId: 'revokeManagementKey',
      access: { permission: 'management-keys:revoke', scope: 'managementKey' },
      handle: async (input) => {
        await keys.revoke(input.params.keyId, changeOf(input));
        return { status: 204 };
      },
    }),
  ];
}
