import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { ManagementKeyService } from './management-key-service';

export const updateManagementKey = (managementKeys: ManagementKeyService) =>
  endpoint({
    operationId: 'updateManagementKey',
    access: { permission: 'management-keys:write', scope: 'managementKey' },
    handle: async (input) => ({
      status: 200,
      body: await managementKeys.rename(input.params.keyId, input.body.name, changeOf(input)),
    }),
  });
