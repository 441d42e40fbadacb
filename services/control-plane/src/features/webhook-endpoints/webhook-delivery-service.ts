import { type ControlPlaneSchemas, type FieldErrors, invalidRequest, Problem } from '@multi-drm/contracts';
import type { Database } from '../../database/database';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import { webhookDeliveryResponse, webhookReplayResponse } from '../../responses/webhook-deliveries';
import { listWebhookDeliveries, retryWebhookDelivery } from '../../stores/webhook-deliveries';
import type { WebhookEndpointRecord } from '../../stores/webhook-endpoints';
import { insertWebhookReplay, isReplaying } from '../../stores/webhook-replays';
import { boundOf } from '../events/event-query';
import { lockUsableWebhookEndpoint } from './lock-usable-webhook-endpoint';
import { cursorBefore, type WebhookDeliveryQuery } from './webhook-delivery-query';

/** The longest time whose events one replay sends. */
const maximumReplayedDays = 31;
const dayMilliseconds = 86_400_000;

interface WebhookDeliveryOptions {
  database: Database;
  changes: Changes;
}

/** The events that are sent to webhook endpoints. */
export class WebhookDeliveryService {
  constructor(private readonly options: WebhookDeliveryOptions) {}

  async list(
    webhookEndpointId: string,
    { filter, limit, before }: WebhookDeliveryQuery,
  ): Promise<ControlPlaneSchemas['WebhookDeliveriesResponse']> {
    // One extra delivery shows whether there is another page.
    const found = await listWebhookDeliveries(this.options.database, webhookEndpointId, filter, before, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      items: page.map(webhookDeliveryResponse),
      nextCursor: last === undefined ? null : cursorBefore(webhookEndpointId, last),
    };
  }

  /** Makes a delivery due now. Throws `not_found`, or `conflict` if the endpoint is disabled or removed, or its project archived. */
  async retry(
    webhookEndpointId: string,
    eventId: string,
    change: Change,
  ): Promise<ControlPlaneSchemas['WebhookDeliveryResponse']> {
    return this.options.changes.run(change, async ({ transaction }) => {
      requireEnabled(await lockUsableWebhookEndpoint(transaction, webhookEndpointId, 'any'));
      const place = boundOf(eventId.toLowerCase());
      const delivery = place && (await retryWebhookDelivery(transaction, webhookEndpointId, place));
      if (!delivery) throw new Problem('not_found', 'There is no such delivery.');
      return webhookDeliveryResponse(delivery);
    });
  }

  /**
   * Has former events sent again, in the background. Throws `invalid_request`, `precondition_failed`, or `conflict` if another replay is in
   * progress, or if the endpoint is disabled or removed, or its project archived.
   */
  async replay(
    webhookEndpointId: string,
    sent: ControlPlaneSchemas['ReplayWebhookEventsRequest'],
    change: ConditionalChange,
  ): Promise<ControlPlaneSchemas['WebhookReplayResponse']> {
    const { types = [], onlyFailed = false } = sent;
    return this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      const endpoint = await lockUsableWebhookEndpoint(transaction, webhookEndpointId, change.ifMatch);
      requireEnabled(endpoint);
      const { from, to } = replayedTime(sent, now);
      if (await isReplaying(transaction, endpoint.id)) {
        throw new Problem('conflict', 'A replay to the webhook endpoint is in progress.');
      }
      const replay = { endpointId: endpoint.id, from, to, types, onlyFailed };
      const response = webhookReplayResponse(await insertWebhookReplay(transaction, replay, now));
      await open.record('webhookEndpoint', 'replay', { before: endpoint, after: endpoint, details: { ...response } });
      return response;
    });
  }
}

/** The time whose events are sent. Throws `invalid_request`. */
function replayedTime(sent: ControlPlaneSchemas['ReplayWebhookEventsRequest'], now: Date): { from: Date; to: Date } {
  const errors: FieldErrors = {};
  const from = new Date(sent.from);
  const asked = sent.to === undefined ? now : new Date(sent.to);
  const to = asked > now ? now : asked;
  if (from >= to) errors.from = ['must be before to, and in the past'];
  if (to.getTime() - from.getTime() > maximumReplayedDays * dayMilliseconds) {
    errors.from = [`must be at most ${maximumReplayedDays} days before to`];
  }
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return { from, to };
}

function requireEnabled({ enabled }: WebhookEndpointRecord): void {
  if (!enabled) throw new Problem('conflict', 'The webhook endpoint is disabled: enable it first.');
}
