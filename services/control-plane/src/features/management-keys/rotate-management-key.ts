import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { ManagementKeyService } from './management-key-service';

export const rotateManagementKey = (managementKeys: ManagementKeyService) =>
  endpoint({
    operationId: 'rotateManagementKey',
    access: { permission: 'management-keys:write', scope: 'managementKey' },
    handle: async (input) => ({
      status: 200,
      body: await managementKeys.rotate(input.params.keyId, input.body ?? {}, changeOf(input)),
    }),
  });
