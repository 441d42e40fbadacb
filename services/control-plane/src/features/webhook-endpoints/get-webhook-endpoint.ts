import { endpoint } from '../../access/endpoint';
import type { WebhookEndpointService } from './webhook-endpoint-service';

export const getWebhookEndpoint = (endpoints: WebhookEndpointService) =>
  endpoint({
    operationId: 'getWebhookEndpoint',
    access: { permission: 'webhook-endpoints:read', scope: 'webhookEndpoint' },
    handle: async ({ params }) => endpoints.read(params.webhookEndpointId),
  });
