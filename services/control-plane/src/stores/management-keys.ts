import type { Transaction } from '../database/database';
import type { ManagementKey } from '../generated/prisma/client';
import { lockRow } from './lock-row';

export type ManagementKeyRecord = ManagementKey;

export type NewManagementKey = Pick<
  ManagementKey,
  'organizationId' | 'name' | 'role' | 'prefix' | 'hash' | 'expiresAt'
>;

/** The fields that can be changed; absent ones stay as they are. */
export type ManagementKeyValues = Partial<Pick<ManagementKey, 'name' | 'expiresAt' | 'revokedAt' | 'replacedAt'>>;

/** The organization's keys, oldest first. */
export async function listManagementKeys(
  transaction: Transaction,
  organizationId: string,
): Promise<ManagementKeyRecord[]> {
  return transaction.managementKey.findMany({
    where: { organizationId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
}

export async function readManagementKey(transaction: Transaction, id: string): Promise<ManagementKeyRecord> {
  return transaction.managementKey.findUniqueOrThrow({ where: { id } });
}

/** Reads a key that stays as it is until the transaction ends. */
export async function lockManagementKey(transaction: Transaction, id: string): Promise<ManagementKeyRecord> {
  await lockRow(transaction, 'management_key', id);
  return readManagementKey(transaction, id);
}

/** The key with this hash, valid or not; null if there is none. */
export async function findManagementKey(transaction: Transaction, hash: string): Promise<ManagementKeyRecord | null> {
  return transaction.managementKey.findUnique({ where: { hash } });
}

/** Notes the first use of a key. False if it was used before, or revoked since it was read. */
export async function noteFirstUse(transaction: Transaction, id: string, now: Date): Promise<boolean> {
  const { count } = await transaction.managementKey.updateMany({
    where: { id, lastUsedAt: null, revokedAt: null },
    data: { lastUsedAt: now },
  });
  return count === 1;
}

/** Notes that a key was used now, unless a use was noted after `unlessSince`. */
export async function noteUse(transaction: Transaction, id: string, now: Date, unlessSince: Date): Promise<void> {
  await transaction.managementKey.updateMany({
    where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: unlessSince } }] },
    data: { lastUsedAt: now },
  });
}

export async function insertManagementKey(
  transaction: Transaction,
  values: NewManagementKey,
  now: Date,
): Promise<ManagementKeyRecord> {
  return transaction.managementKey.create({ data: { ...values, createdAt: now } });
}

export async function changeManagementKey(
  transaction: Transaction,
  id: string,
  values: ManagementKeyValues,
): Promise<ManagementKeyRecord> {
  return transaction.managementKey.update({ where: { id }, data: values });
}

/** Revokes a key unless it was used, revoked or replaced; if so, undefined. */
export async function revokeUnusedKey(
  transaction: Transaction,
  id: string,
  now: Date,
): Promise<ManagementKeyRecord | undefined> {
  const [revoked] = await transaction.managementKey.updateManyAndReturn({
    where: { id, lastUsedAt: null, revokedAt: null, replacedAt: null },
    data: { revokedAt: now },
  });
  return revoked;
}

/** Counts the organization's valid owner keys besides this one, without those that end with their overlap. */
export async function countOtherOwnerKeys(
  transaction: Transaction,
  { id, organizationId }: Pick<ManagementKeyRecord, 'id' | 'organizationId'>,
  now: Date,
): Promise<number> {
  return transaction.managementKey.count({
    where: {
      organizationId,
      role: 'owner',
      id: { not: id },
      revokedAt: null,
      replacedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
    },
  });
}
