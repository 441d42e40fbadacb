import type { Transaction } from '../database/database';
import type { EndUser, Prisma } from '../generated/prisma/client';
import { lockRow } from './lock-row';

export type EndUserRecord = EndUser;

/** The fields of an end user whose values are recorded in the audit trail, and those by which events name it. */
export type AuditableEndUser = Pick<EndUser, 'id' | 'projectId' | 'subject' | 'status' | 'maximumConcurrentStreams'>;

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

/** The id of the project's end user with this subject; undefined if there is none. */
export async function findEndUserId(
  transaction: Transaction,
  projectId: string,
  subject: string,
): Promise<string | undefined> {
  return (await transaction.endUser.findFirst({ where: { projectId, subject }, select: { id: true } }))?.id;
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

/** The project's end user with this subject, who stays as it is until the transaction ends; undefined if there is none. */
export async function lockEndUserOfSubject(
  transaction: Transaction,
  { projectId, subject }: { projectId: string; subject: string },
): Promise<AuditableEndUser | undefined> {
  const [found] = await transaction.$queryRaw<AuditableEndUser[]>`
    SELECT id, project_id AS "projectId", subject, status::text, maximum_concurrent_streams AS "maximumConcurrentStreams"
    FROM end_user
    WHERE project_id = ${projectId}::uuid AND subject = ${subject} FOR UPDATE`;
  return found;
}

/** Sets fields of an end user and raises its version. */
export async function changeEndUser(
  transaction: Transaction,
  id: string,
  values: EndUserValues & { synchronizedAt?: Date },
): Promise<EndUserRecord> {
  return transaction.endUser.update({ where: { id }, data: { ...values, version: { increment: 1 } } });
}

/** Removes what is personal, and archives what remains. */
export async function eraseEndUser(transaction: Transaction, id: string): Promise<EndUserRecord> {
  const nothing = { subject: null, displayName: null, email: null, attributes: {} };
  return transaction.endUser.update({
    where: { id },
    data: { ...nothing, status: 'archived', version: { increment: 1 } },
  });
}
