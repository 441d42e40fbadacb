import { endpoint } from '../../access/endpoint';
import { webhookDeliveryQueryOf } from './webhook-delivery-query';
import type { WebhookDeliveryService } from './webhook-delivery-service';

export const listWebhookDeliveries = (deliveries: WebhookDeliveryService) =>
  endpoint({
    operationId: 'listWebhookDeliveries',
    access: { permission: 'webhook-endpoints:read', scope: 'webhookEndpoint' },
    handle: async ({ params: { webhookEndpointId }, query }) => ({
      status: 200,
      body: await deliveries.list(webhookEndpointId, webhookDeliveryQueryOf(webhookEndpointId, query)),
    }),
  });
