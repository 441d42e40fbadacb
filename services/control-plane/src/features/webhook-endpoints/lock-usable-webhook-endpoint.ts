import { Problem } from '@multi-drm/contracts';
import type { Transaction } from '../../database/database';
import type { IfMatch } from '../../records/if-match';
import { requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived } from '../../records/require-unarchived';
import { lockWebhookEndpoint, type WebhookEndpointRecord } from '../../stores/webhook-endpoints';

/**
 * Reads an endpoint that stays as it is until the transaction ends. Throws `conflict` if it is removed or its project is archived, and
 * `precondition_failed`.
 */
export async function lockUsableWebhookEndpoint(
  transaction: Transaction,
  id: string,
  ifMatch: IfMatch,
): Promise<WebhookEndpointRecord> {
  await requireParentUnarchived(transaction, 'project', 'webhook_endpoint', id);
  const endpoint = await lockWebhookEndpoint(transaction, id);
  if (endpoint.removedAt !== null) throw new Problem('conflict', 'The webhook endpoint is removed.');
  requireMatch(endpoint, ifMatch, 'webhook endpoint');
  return endpoint;
}
