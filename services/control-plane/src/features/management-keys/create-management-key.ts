import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { ManagementKeyService } from './management-key-service';

export const createManagementKey = (managementKeys: ManagementKeyService) =>
  endpoint({
    operationId: 'createManagementKey',
    access: { permission: 'management-keys:write', scope: 'organization' },
    handle: async (input) => ({
      status: 200,
      body: await managementKeys.create(input.params.organizationId, input.body, changeOf(input)),
    }),
  });
