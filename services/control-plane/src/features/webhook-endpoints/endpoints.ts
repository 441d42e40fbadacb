import { randomUUID } from 'node:crypto';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import type { RandomBytes } from '../../access/credentials';
import type { WebhookSender } from '../../webhooks/webhook-sender';
import type { FeatureOptions } from '../feature-options';
import { createWebhookEndpoint } from './create-webhook-endpoint';
import { getWebhookEndpoint } from './get-webhook-endpoint';
import { listWebhookDeliveries } from './list-webhook-deliveries';
import { listWebhookEndpoints } from './list-webhook-endpoints';
import { removeWebhookEndpoint } from './remove-webhook-endpoint';
import { replayWebhookEvents } from './replay-webhook-events';
import { retryWebhookDelivery } from './retry-webhook-delivery';
import { rotateWebhookEndpoint } from './rotate-webhook-endpoint';
import { testWebhookEndpoint } from './test-webhook-endpoint';
import { updateWebhookEndpoint } from './update-webhook-endpoint';
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
  return [
    createWebhookEndpoint(endpoints),
    listWebhookEndpoints(endpoints),
    getWebhookEndpoint(endpoints),
    updateWebhookEndpoint(endpoints),
    rotateWebhookEndpoint(endpoints),
    removeWebhookEndpoint(endpoints),
    testWebhookEndpoint(new WebhookTester(parts)),
    replayWebhookEvents(deliveries),
    listWebhookDeliveries(deliveries),
    retryWebhookDelivery(deliveries),
  ];
}
