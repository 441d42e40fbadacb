import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { WebhookDeliveryService } from './webhook-delivery-service';

export const retryWebhookDelivery = (deliveries: WebhookDeliveryService) =>
  endpoint({
    operationId: 'retryWebhookDelivery',
    access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
    handle: async (input) => {
      const { webhookEndpointId, deliveryEventId } = input.params;
      return { status: 200, body: await deliveries.retry(webhookEndpointId, deliveryEventId, changeOf(input)) };
    },
  });
