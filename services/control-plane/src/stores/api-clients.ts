import type { Transaction } from '../database/database';
import type { ApiClient } from '../generated/prisma/client';
import { lockRow } from './lock-row';

export type ApiClientRecord = ApiClient;

type NewApiClient = Pick<
  ApiClientRecord,
  | 'projectId'
  | 'clientId'
  | 'name'
  | 'accessKeyHash'
  | 'accessKeyPrefix'
  | 'permissions'
  | 'allEnvironments'
  | 'environmentIds'
  | 'expiresAt'
>;

/** The fields that can be changed; absent ones stay as they are. */
type ApiClientValues = Partial<
  Pick<
    ApiClientRecord,
    | 'name'
    | 'permissions'
    | 'allEnvironments'
    | 'environmentIds'
    | 'accessKeyHash'
    | 'accessKeyPrefix'
    | 'accessKeyLastUsedAt'
    | 'previousAccessKeyHash'
    | 'previousAccessKeyUntil'
    | 'previousAccessKeyPrefix'
    | 'previousAccessKeyLastUsedAt'
    | 'revokedAt'
  >
>;

/** All API clients of the project, oldest first. */
export async function listApiClients(transaction: Transaction, projectId: string): Promise<ApiClientRecord[]> {
  return transaction.apiClient.findMany({ where: { projectId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}

export async function readApiClient(transaction: Transaction, id: string): Promise<ApiClientRecord> {
  return transaction.apiClient.findUniqueOrThrow({ where: { id } });
}

/** Reads an API client that stays as it is until the transaction ends. */
export async function lockApiClient(transaction: Transaction, id: string): Promise<ApiClientRecord> {
  await lockRow(transaction, 'api_client', id);
  return readApiClient(transaction, id);
}

export async function insertApiClient(
  transaction: Transaction,
  client: NewApiClient,
  now: Date,
): Promise<ApiClientRecord> {
  return transaction.apiClient.create({ data: { ...client, createdAt: now } });
}

/** Sets fields of an API client and raises its version. */
export async function changeApiClient(
  transaction: Transaction,
  id: string,
  values: ApiClientValues,
): Promise<ApiClientRecord> {
  return transaction.apiClient.update({ where: { id }, data: { ...values, version: { increment: 1 } } });
}

/** The ids of the project's API clients. */
export async function listApiClientIds(transaction: Transaction, projectId: string): Promise<string[]> {
  const found = await transaction.apiClient.findMany({ where: { projectId }, select: { id: true } });
  return found.map(({ id }) => id);
}
