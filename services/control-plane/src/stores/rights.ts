import type { Transaction } from '../database/database';
import type { Rights } from '../generated/prisma/client';
import { lockRow } from './lock-row';

export type RightsRecord = Rights;

/** The fields of rights that callers set. */
export type RightsValues = Omit<RightsRecord, 'id' | 'projectId' | 'status' | 'version' | 'createdAt' | 'updatedAt'>;

/** All rights of the project with the status, oldest first. */
export async function listRights(
  transaction: Transaction,
  projectId: string,
  status: RightsRecord['status'],
): Promise<RightsRecord[]> {
  return transaction.rights.findMany({ where: { projectId, status }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}

export async function readRights(transaction: Transaction, id: string): Promise<RightsRecord> {
  return transaction.rights.findUniqueOrThrow({ where: { id } });
}

/** Reads rights that stay as they are until the transaction ends. */
export async function lockRights(transaction: Transaction, id: string): Promise<RightsRecord> {
  await lockRow(transaction, 'rights', id);
  return readRights(transaction, id);
}

export async function insertRights(
  transaction: Transaction,
  values: Partial<RightsValues> & Pick<RightsRecord, 'projectId' | 'name'>,
  now: Date,
): Promise<RightsRecord> {
  return transaction.rights.create({
    data: { allowedClientPlatforms: [], ...values, createdAt: now, updatedAt: now },
  });
}

/** Sets fields of rights and raises their version. */
export async function changeRights(
  transaction: Transaction,
  id: string,
  values: Partial<RightsValues & Pick<RightsRecord, 'status'>>,
  now: Date,
): Promise<RightsRecord> {
  return transaction.rights.update({
    where: { id },
    data: { ...values, version: { increment: 1 }, updatedAt: now },
  });
}
