import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { WebhookEndpointService } from './webhook-endpoint-service';

export const createWebhookEndpoint = (endpoints: WebhookEndpointService) =>
  endpoint({
    operationId: 'createWebhookEndpoint',
    access: { permission: 'webhook-endpoints:write', scope: 'project' },
    handle: async (input) => endpoints.create(input.params.projectId, input.body, changeOf(input)),
  });
