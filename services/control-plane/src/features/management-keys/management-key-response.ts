import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { keyStatus } from '../../access/key-lifetime';
import type { ManagementKeyRecord } from './management-key-store';

/** A management key as the API shows it: without the key itself, which nothing stores. */
export function managementKeyResponse(
  key: ManagementKeyRecord,
  now: Date,
): ControlPlaneSchemas['ManagementKeyResponse'] {
  return {
    keyId: key.id,
    organizationId: key.organizationId,
    name: key.name,
    role: key.role,
    prefix: key.prefix,
    status: keyStatus(key, now),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}
