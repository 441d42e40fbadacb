import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { WebhookDeliveryService } from './webhook-delivery-service';

export const replayWebhookEvents = (deliveries: WebhookDeliveryService) =>
  endpoint({
    operationId: 'replayWebhookEvents',
    access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
    handle: async (input) => ({
      status: 200,
      body: await deliveries.replay(input.params.webhookEndpointId, input.body, conditionalChangeOf(input)),
    }),
  });
