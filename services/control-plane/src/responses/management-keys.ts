import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { keyStatus } from '../access/key-lifetime';
import type { ManagementKeyRecord } from '../stores/management-keys';

/** The API representation of a management key: without the key itself, which is not stored. */
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
