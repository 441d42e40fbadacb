import type { Transaction } from '../database/database';
import type { WebhookReplay } from '../generated/prisma/client';

export type WebhookReplayRecord = WebhookReplay;

type NewWebhookReplay = Pick<WebhookReplayRecord, 'endpointId' | 'from' | 'to' | 'types' | 'onlyFailed'>;

/** Whether events of the past are still being added to the deliveries of an endpoint. */
export async function isReplaying(transaction: Transaction, endpointId: string): Promise<boolean> {
  return (await transaction.webhookReplay.count({ where: { endpointId } })) > 0;
}

export async function insertWebhookReplay(
  transaction: Transaction,
  replay: NewWebhookReplay,
  now: Date,
): Promise<WebhookReplayRecord> {
  return transaction.webhookReplay.create({ data: { ...replay, createdAt: now } });
}

/** Ends the replays of an endpoint. */
export async function deleteWebhookReplays(transaction: Transaction, endpointId: string): Promise<void> {
  await transaction.webhookReplay.deleteMany({ where: { endpointId } });
}
