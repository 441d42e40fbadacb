import { randomUUID } from 'node:crypto';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import type { RandomBytes } from '../../access/credentials';
import { endpoint } from '../../access/endpoint';
import type { WebhookSender } from '../../webhooks/webhook-sender';
import { changeOf, conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { webhookDeliveryQueryOf } from './webhook-delivery-query';
import { WebhookDeliveryService } from './webhook-delivery-service';
import { WebhookEndpointService } from './webhook-endpoint-service';
import { WebhookTester } from './webhook-tester';

interface WebhookEndpointsOptions extends FeatureOptions {
  secrets: Secrets;
  /** Decides which addresses webhook endpoints may have. */
  webhookGuard: AddressGuard;
  /** Sends test events. */
  webhookSender: Pick<WebhookSender, 'send'>;
  randomBytes: RandomBytes;
}

/** The operations on webhook endpoints and their deliveries, with their services. */
export function webhookEndpointEndpoints(options: WebhookEndpointsOptions) {
  const parts = { ...options, randomUuid: randomUUID };
  const endpoints = new WebhookEndpointService(parts);
  const deliveries = new WebhookDeliveryService(parts);
  const tester = new WebhookTester(parts);
  return [
    endpoint({
      operationId: 'createWebhookEndpoint',
      access: { permission: 'webhook-endpoints:write', scope: 'project' },
      handle: async (input) => endpoints.create(input.params.projectId, input.body, changeOf(input)),
    }),
    endpoint({
      operationId: 'listWebhookEndpoints',
      access: { permission: 'webhook-endpoints:read', scope: 'project' },
      handle: async ({ params }) => ({ status: 200, body: await endpoints.list(params.projectId) }),
    }),
    endpoint({
      operationId: 'getWebhookEndpoint',
      access: { permission: 'webhook-endpoints:read', scope: 'webhookEndpoint' },
      handle: async ({ params }) => endpoints.read(params.webhookEndpointId),
    }),
    endpoint({
      operationId: 'updateWebhookEndpoint',
      access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
      handle: async (input) => endpoints.update(input.params.webhookEndpointId, input.body, updateOf(input)),
    }),
    endpoint({
      operationId: 'rotateWebhookEndpoint',
      access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
      handle: async (input) =>
        endpoints.rotate(input.params.webhookEndpointId, input.body ?? {}, conditionalChangeOf(input)),
    }),
    endpoint({
      operationId: 'removeWebhookEndpoint',
      access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
      handle: async (input) => {
        await endpoints.remove(input.params.webhookEndpointId, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
    endpoint({
      operationId: 'testWebhookEndpoint',
      access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
      handle: async ({ params }) => ({ status: 200, body: await tester.test(params.webhookEndpointId) }),
    }),
    endpoint({
      operationId: 'replayWebhookEvents',
      access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
      handle: async (input) => ({
        status: 200,
        body: await deliveries.replay(input.params.webhookEndpointId, input.body, conditionalChangeOf(input)),
      }),
    }),
    endpoint({
      operationId: 'listWebhookDeliveries',
      access: { permission: 'webhook-endpoints:read', scope: 'webhookEndpoint' },
      handle: async ({ params: { webhookEndpointId }, query }) => ({
        status: 200,
        body: await deliveries.list(webhookEndpointId, webhookDeliveryQueryOf(webhookEndpointId, query)),
      }),
    }),
    endpoint({
      operationId: 'retryWebhookDelivery',
      access: { permission: 'webhook-endpoints:write', scope: 'webhookEndpoint' },
      handle: async (input) => {
        const { webhookEndpointId, deliveryEventId } = input.params;
        return { status: 200, body: await deliveries.retry(webhookEndpointId, deliveryEventId, changeOf(input)) };
      },
    }),
  ];
}
