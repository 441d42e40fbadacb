import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { WebhookEndpointService } from './webhook-endpoint-service';

export const removeWebhookEndpoint = (endpoints: WebhookEndpointService) =>
  endpoint({
    operationId: 'removeWebhookEndpoint',
    access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
    handle: async (input) => {
      await endpoints.remove(input.params.webhookEndpointId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
