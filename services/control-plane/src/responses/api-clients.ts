import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { keyStatus } from '../access/key-lifetime';
import type { ApiClientRecord } from '../stores/api-clients';

type ApiClientResponse = ControlPlaneSchemas['ApiClientResponse'];

/** The API representation of an API client: without its access keys themselves, which are not stored. */
export function apiClientResponse(client: ApiClientRecord, now: Date): ApiClientResponse {
  return {
    apiClientId: client.id,
    projectId: client.projectId,
    clientId: client.clientId,
    name: client.name,
    // Safe: only permissions that the API accepts are stored.
    permissions: client.permissions as ApiClientResponse['permissions'],
    environmentIds: client.allEnvironments ? null : client.environmentIds,
    status: keyStatus(client, now),
    expiresAt: client.expiresAt?.toISOString() ?? null,
    createdAt: client.createdAt.toISOString(),
    lastUsedAt: client.lastUsedAt?.toISOString() ?? null,
    accessKeys: accessKeysOf(client, now),
  };
}

/** The current access key and, until the end of its overlap, the previous one. */
function accessKeysOf(client: ApiClientRecord, now: Date): ApiClientResponse['accessKeys'] {
  const current = {
    prefix: client.accessKeyPrefix,
    validUntil: null,
    lastUsedAt: client.accessKeyLastUsedAt?.toISOString() ?? null,
  };
  const { previousAccessKeyUntil: until } = client;
  if (until === null || until <= now) return [current];
  const previous = {
    prefix: client.previousAccessKeyPrefix,
    validUntil: until.toISOString(),
    lastUsedAt: client.previousAccessKeyLastUsedAt?.toISOString() ?? null,
  };
  return [current, previous];
}
