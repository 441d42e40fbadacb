import type { RandomBytes } from '../../access/keys';
import type { FeatureOptions } from '../feature-options';
import { createManagementKey } from './create-management-key';
import { listManagementKeys } from './list-management-keys';
import { ManagementKeyService } from './management-key-service';
import { ManagementKeyStore } from './management-key-store';
import { revokeManagementKey } from './revoke-management-key';
import { rotateManagementKey } from './rotate-management-key';

/** The operations on management keys, with their service and store. */
export function managementKeyEndpoints({
  prisma,
  now,
  randomBytes,
}: Omit<FeatureOptions, 'publisher'> & { randomBytes: RandomBytes }) {
  const keys = new ManagementKeyService({ store: new ManagementKeyStore(prisma), now, randomBytes });
  return [listManagementKeys(keys), createManagementKey(keys), rotateManagementKey(keys), revokeManagementKey(keys)];
}
