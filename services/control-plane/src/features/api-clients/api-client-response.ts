import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { keyStatus } from '../../access/key-lifetime';
import type { ApiClientRecord } from './api-client-store';

type ApiClientResponse = ControlPlaneSchemas['ApiClientResponse'];

/** An API client as the API shows it: without its access key, which nothing stores. */
export function apiClientResponse(client: ApiClientRecord, now: Date): ApiClientResponse {
  return {
    apiClientId: client.id,
    projectId: client.projectId,
    clientId: client.clientId,
    name: client.name,
    // Safe: only permissions that the API takes are stored.
    permissions: client.permissions as ApiClientResponse['permissions'],
    environmentIds: client.allEnvironments ? null : client.environmentIds,
    status: keyStatus(client, now),
    expiresAt: client.expiresAt?.toISOString() ?? null,
    createdAt: client.createdAt.toISOString(),
    lastUsedAt: client.lastUsedAt?.toISOString() ?? null,
  };
}
