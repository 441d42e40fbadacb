import type { Transaction } from '../database/database';
import type { WebhookEndpoint } from '../generated/prisma/client';
import { lockRow } from './lock-row';

export type WebhookEndpointRecord = WebhookEndpoint;

/** What callers set. Secrets are encrypted. */
interface WebhookEndpointSettings {
  url: string;
  description: string | null;
  types: string[];
  /** Empty: all. */
  environmentIds: string[];
  enabled: boolean;
  maximumPerSecond: number | null;
  secret: string;
  /** By name in lower case. */
  secretHeaders: Record<string, string>;
}

type NewWebhookEndpoint = Pick<WebhookEndpointRecord, 'id' | 'projectId'> & WebhookEndpointSettings;

/** The fields that can be changed; absent ones stay as they are. */
export type WebhookEndpointValues = Partial<
  WebhookEndpointSettings &
    Pick<
      WebhookEndpointRecord,
      'disabledAt' | 'disabledReason' | 'failingSince' | 'removedAt' | 'previousSecret' | 'previousSecretExpiresAt'
    >
>;

/** The project's webhook endpoints that are in use, oldest first. */
export async function listWebhookEndpoints(
  transaction: Transaction,
  projectId: string,
): Promise<WebhookEndpointRecord[]> {
  return transaction.webhookEndpoint.findMany({
    where: { projectId, removedAt: null },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
}

/** How many of the project's webhook endpoints are in use. */
export async function countWebhookEndpoints(transaction: Transaction, projectId: string): Promise<number> {
  return transaction.webhookEndpoint.count({ where: { projectId, removedAt: null } });
}

export async function readWebhookEndpoint(transaction: Transaction, id: string): Promise<WebhookEndpointRecord> {
  return transaction.webhookEndpoint.findUniqueOrThrow({ where: { id } });
}

/** Reads a webhook endpoint that stays as it is until the transaction ends. */
export async function lockWebhookEndpoint(transaction: Transaction, id: string): Promise<WebhookEndpointRecord> {
  await lockRow(transaction, 'webhook_endpoint', id);
  return readWebhookEndpoint(transaction, id);
}

export async function insertWebhookEndpoint(
  transaction: Transaction,
  endpoint: NewWebhookEndpoint,
  now: Date,
): Promise<WebhookEndpointRecord> {
  return transaction.webhookEndpoint.create({ data: { ...endpoint, createdAt: now, updatedAt: now } });
}

/** Sets fields of a webhook endpoint and raises its version. */
export async function changeWebhookEndpoint(
  transaction: Transaction,
  id: string,
  values: WebhookEndpointValues,
  now: Date,
): Promise<WebhookEndpointRecord> {
  return transaction.webhookEndpoint.update({
    where: { id },
    data: { ...values, version: { increment: 1 }, updatedAt: now },
  });
}

/** The encrypted values of an endpoint's headers, by name in lower case. */
export function secretHeadersOf({
  secretHeaders,
}: Pick<WebhookEndpointRecord, 'secretHeaders'>): Record<string, string> {
  // Safe: only what the functions above take and the rotation of secrets are stored.
  return secretHeaders as Record<string, string>;
}
