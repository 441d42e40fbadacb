import type { Transaction } from '../database/database';
import type { EndUser, Prisma } from '../generated/prisma/client';
import { lockRow } from './lock-row';

export type EndUserRecord = EndUser;

/** The fields that can be changed; absent ones stay as they are. */
export type EndUserValues = Pick<
  Prisma.EndUserUncheckedUpdateManyInput & Prisma.EndUserCreateManyInput,
  'displayName' | 'email' | 'status' | 'maximumConcurrentStreams' | 'attributes'
>;

export async function readEndUser(transaction: Transaction, id: string): Promise<EndUserRecord> {
  return transaction.endUser.findUniqueOrThrow({ where: { id } });
}

/** Reads an end user that stays as it is until the transaction ends. */
export async function lockEndUser(transaction: Transaction, id: string): Promise<EndUserRecord> {
  await lockRow(transaction, 'end_user', id);
  return readEndUser(transaction, id);
}

/** Undefined if the project has an end user with this subject; waits for a transaction that is creating one. */
export async function insertEndUser(
  transaction: Transaction,
  values: EndUserValues & { projectId: string; subject: string },
  now: Date,
): Promise<EndUserRecord | undefined> {
  const [created] = await transaction.endUser.createManyAndReturn({
    data: { ...values, createdAt: now, synchronizedAt: now },
    skipDuplicates: true,
  });
  return created;
}

/** Sets fields of the project's end user with this subject and raises its version; undefined if there is none. */
export async function synchronizeEndUser(
  transaction: Transaction,
  { projectId, subject, ...values }: EndUserValues & { projectId: string; subject: string },
  now: Date,
): Promise<EndUserRecord | undefined> {
  const [updated] = await transaction.endUser.updateManyAndReturn({
    where: { projectId, subject },
    data: { ...values, version: { increment: 1 }, synchronizedAt: now },
  });
  return updated;
}

/** Sets fields of an end user and raises its version. */
export async function changeEndUser(
  transaction: Transaction,
  id: string,
  values: EndUserValues,
): Promise<EndUserRecord> {
  return transaction.endUser.update({ where: { id }, data: { ...values, version: { increment: 1 } } });
}

/** Removes what is personal, and archives what remains. */
export async function eraseEndUser(transaction: Transaction, id: string): Promise<void> {
  const nothing = { subject: null, displayName: null, email: null, attributes: {} };
  await transaction.endUser.update({
    where: { id },
    data: { ...nothing, status: 'archived', version: { increment: 1 } },
  });
}
