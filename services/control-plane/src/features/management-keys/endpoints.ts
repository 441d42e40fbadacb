import type { RandomBytes } from '../../access/credentials';
import type { FeatureOptions } from '../feature-options';
import { createManagementKey } from './create-management-key';
import { listManagementKeys } from './list-management-keys';
import { ManagementKeyService } from './management-key-service';
import { revokeManagementKey } from './revoke-management-key';
import { rotateManagementKey } from './rotate-management-key';
import { updateManagementKey } from './update-management-key';

/** The operations on management keys, with their service. */
export function managementKeyEndpoints(options: FeatureOptions & { randomBytes: RandomBytes }) {
  const keys = new ManagementKeyService(options);
  return [
    listManagementKeys(keys, options.database),
    createManagementKey(keys),
    updateManagementKey(keys),
    rotateManagementKey(keys),
    revokeManagementKey(keys),
  ];
}
