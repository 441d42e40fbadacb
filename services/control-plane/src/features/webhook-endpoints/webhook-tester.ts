import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import { ConnectionGate } from '@multi-drm/license-backends';
import type { Secrets } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { eventId } from '../../events/event-id';
import { readProject } from '../../stores/projects';
import { readWebhookEndpoint, secretHeadersOf, type WebhookEndpointRecord } from '../../stores/webhook-endpoints';
import { openEndpoint } from '../../webhooks/open-endpoint';
import type { WebhookSender } from '../../webhooks/webhook-sender';

type TestEvent = ControlPlaneSchemas['WebhookTestEvent'];

interface WebhookTesterOptions {
  database: Database;
  secrets: Secrets;
  webhookSender: Pick<WebhookSender, 'send'>;
  now: () => Date;
  randomUuid: () => string;
}

/** Limit over all organizations: each test may hold an answer of 64 KiB in memory. */
const maximumAtOnce = 16;
/** `Retry-After` in seconds for a refused test: the longest time that one takes. */
const retrySeconds = 15;

/** Sends a test event to a webhook endpoint, so that an administrator can see what its receiver answers. */
export class WebhookTester {
  private readonly gate = new ConnectionGate({ maximumActive: maximumAtOnce, maximumWaiting: 0 });

  constructor(private readonly options: WebhookTesterOptions) {}

  /** Throws `conflict` if the endpoint is removed, `service_unavailable` if too many tests are in progress. */
  async test(webhookEndpointId: string): Promise<ControlPlaneSchemas['WebhookTestResponse']> {
    const { database, webhookSender } = this.options;
    const endpoint = await readWebhookEndpoint(database, webhookEndpointId);
    if (endpoint.removedAt !== null) throw new Problem('conflict', 'The webhook endpoint is removed.');
    const event = await this.eventFor(endpoint);
    const message = { id: event.id, body: Buffer.from(JSON.stringify(event)) };
    const leave = await this.enter();
    try {
      const attempt = await webhookSender.send(this.destinationOf(endpoint), message);
      const { succeeded, status, error, answer } = attempt;
      return { succeeded, status, error, milliseconds: Math.round(attempt.milliseconds), answer };
    } finally {
      leave();
    }
  }

  private async enter(): Promise<() => void> {
    const entered = this.gate.enter(new AbortController().signal);
    if (entered !== undefined) return entered;
    throw new Problem('service_unavailable', 'Too many test events are being sent; try again.', {
      headers: { 'Retry-After': String(retrySeconds) },
    });
  }

  private async eventFor({ id: webhookEndpointId, projectId }: WebhookEndpointRecord): Promise<TestEvent> {
    const { database, now, randomUuid } = this.options;
    const time = now();
    const { organizationId } = await readProject(database, projectId);
    return {
      id: eventId(time.getTime() * 1000, randomUuid()),
      type: 'webhook.test',
      timestamp: time.toISOString(),
      organizationId,
      projectId,
      environmentId: null,
      data: { webhookEndpointId },
    };
  }

  private destinationOf(endpoint: WebhookEndpointRecord) {
    const { secrets, now } = this.options;
    const { previousSecret, previousSecretExpiresAt: until } = endpoint;
    return openEndpoint(secrets, {
      ...endpoint,
      secretHeaders: secretHeadersOf(endpoint),
      previousSecret: until !== null && until > now() ? previousSecret : null,
    });
  }
}
