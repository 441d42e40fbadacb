import { type ControlPlaneOperations, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import type { EndpointInput } from '@multi-drm/service-kit';
import type { EventBound } from '../../stores/events';
import { pageOf } from '../../stores/page';
import type { WebhookDeliveryFilter } from '../../stores/webhook-deliveries';
import { boundAt, boundOf } from '../events/event-query';
import { formatCursor, positionIn } from '../list-cursor';
import { timeRangeOf } from '../time-range';

type Query = EndpointInput<ControlPlaneOperations['listWebhookDeliveries'], unknown>['query'];

/** The requested deliveries. */
export interface WebhookDeliveryQuery {
  filter: WebhookDeliveryFilter;
  limit: number;
  /** Where the page starts; undefined: at the newest. */
  before: EventBound | undefined;
}

const list = 'webhook-deliveries';

/** Reads a validated query. Throws `invalid_request` if parameters do not go together. */
export function webhookDeliveryQueryOf(webhookEndpointId: string, query: Query): WebhookDeliveryQuery {
  const { status, limit, cursor } = query;
  const errors: FieldErrors = {};
  const { from, to } = timeRangeOf(query, errors);
  const position = cursor === undefined ? undefined : positionIn(cursor, { list, ownerId: webhookEndpointId });
  const before = position === undefined ? undefined : boundOf(position);
  if (cursor !== undefined && before === undefined) errors.cursor = ['must be the nextCursor of a page of this list'];
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return { filter: { status, from: boundAt(from), to: boundAt(to) }, limit: pageOf({ limit }).limit, before };
}

/** The cursor of the deliveries of older events. */
export const cursorBefore = (webhookEndpointId: string, { eventId }: { eventId: string }) =>
  formatCursor({ list, ownerId: webhookEndpointId, position: eventId });
