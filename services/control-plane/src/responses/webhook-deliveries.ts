import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { WebhookDeliveryRecord } from '../stores/webhook-deliveries';
import type { WebhookReplayRecord } from '../stores/webhook-replays';

type WebhookReplayResponse = ControlPlaneSchemas['WebhookReplayResponse'];

/** The API representation of a delivery. */
export function webhookDeliveryResponse(
  delivery: WebhookDeliveryRecord,
): ControlPlaneSchemas['WebhookDeliveryResponse'] {
  return {
    eventId: delivery.eventId,
    type: delivery.type,
    timestamp: delivery.time.toISOString(),
    status: delivery.status,
    attempts: delivery.attempts,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    isReplay: delivery.isReplay,
    lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    lastAnswer: delivery.lastAnswer,
  };
}

/** The API representation of a replay. */
export function webhookReplayResponse({ from, to, types, onlyFailed }: WebhookReplayRecord): WebhookReplayResponse {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    // Safe: only types that the API accepts are stored.
    types: types.length === 0 ? null : (types as NonNullable<WebhookReplayResponse['types']>),
    onlyFailed,
  };
}
