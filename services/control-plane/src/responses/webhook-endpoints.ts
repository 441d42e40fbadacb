import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { secretHeadersOf, type WebhookEndpointRecord } from '../stores/webhook-endpoints';

type WebhookEndpointResponse = ControlPlaneSchemas['WebhookEndpointResponse'];

/** The API representation of a webhook endpoint: without its secrets, but with the names of its headers. */
export function webhookEndpointResponse(endpoint: WebhookEndpointRecord, now: Date): WebhookEndpointResponse {
  const { environmentIds, previousSecretExpiresAt: until } = endpoint;
  return {
    webhookEndpointId: endpoint.id,
    projectId: endpoint.projectId,
    url: endpoint.url,
    description: endpoint.description,
    // Safe: only types that the API accepts are stored.
    types: endpoint.types as WebhookEndpointResponse['types'],
    environmentIds: environmentIds.length === 0 ? null : environmentIds,
    enabled: endpoint.enabled,
    disabledReason: endpoint.disabledReason,
    disabledAt: endpoint.disabledAt?.toISOString() ?? null,
    removedAt: endpoint.removedAt?.toISOString() ?? null,
    maximumPerSecond: endpoint.maximumPerSecond,
    secretHeaderNames: Object.keys(secretHeadersOf(endpoint)).sort(),
    previousSecretExpiresAt: until !== null && until > now ? until.toISOString() : null,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}
