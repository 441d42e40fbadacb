import { endpoint } from '../../access/endpoint';
import type { WebhookTester } from './webhook-tester';

export const testWebhookEndpoint = (tester: WebhookTester) =>
  endpoint({
    operationId: 'testWebhookEndpoint',
    access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
    handle: async ({ params }) => ({ status: 200, body: await tester.test(params.webhookEndpointId) }),
  });
