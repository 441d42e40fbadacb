import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { WebhookEndpointService } from './webhook-endpoint-service';

export const rotateWebhookEndpoint = (endpoints: WebhookEndpointService) =>
  endpoint({
    operationId: 'rotateWebhookEndpoint',
    access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
    handle: async (input) =>
      endpoints.rotate(input.params.webhookEndpointId, input.body ?? {}, conditionalChangeOf(input)),
  });
