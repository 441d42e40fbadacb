import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { ManagementKeyService } from './management-key-service';

export const revokeManagementKey = (managementKeys: ManagementKeyService) =>
  endpoint({
    operationId: 'revokeManagementKey',
    access: { permission: 'management-keys:revoke', scope: 'managementKey' },
    handle: async (input) => {
      await managementKeys.revoke(input.params.keyId, changeOf(input));
      return { status: 204 };
    },
  });
