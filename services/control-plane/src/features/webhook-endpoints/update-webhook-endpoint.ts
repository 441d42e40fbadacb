import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { WebhookEndpointService } from './webhook-endpoint-service';

export const updateWebhookEndpoint = (endpoints: WebhookEndpointService) =>
  endpoint({
    operationId: 'updateWebhookEndpoint',
    access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
    handle: async (input) => endpoints.update(input.params.webhookEndpointId, input.body, updateOf(input)),
  });
