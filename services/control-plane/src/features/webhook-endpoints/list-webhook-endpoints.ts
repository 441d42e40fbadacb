import { endpoint } from '../../access/endpoint';
import type { WebhookEndpointService } from './webhook-endpoint-service';

export const listWebhookEndpoints = (endpoints: WebhookEndpointService) =>
  endpoint({
    operationId: 'listWebhookEndpoints',
    access: { permission: 'webhook-endpoints:read', scope: 'project' },
    handle: async ({ params }) => ({ status: 200, body: await endpoints.list(params.projectId) }),
  });
