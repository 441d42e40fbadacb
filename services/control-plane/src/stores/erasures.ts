import type { Transaction } from '../database/database';
import type { ErasedBlock } from '../generated/prisma/client';

/** The hashes of a viewer by `SubjectBuckets`, which name it where its subject must not be. */
export interface SubjectHashes {
  projectHash: string;
  /** By environment. */
  environmentHashes: Record<string, string>;
}

/** Returns the ids of all environments of a project, archived ones included: they can be restored. */
export async function listEnvironmentIds(transaction: Transaction, projectId: string): Promise<string[]> {
  const rows = await transaction.environment.findMany({ where: { projectId }, select: { id: true } });
  return rows.map(({ id }) => id);
}

/**
 * Has what names the viewer replaced in the background, now and when it is reported later. The database sets the times, because passes
 * compare them with its clock.
 */
export async function addErasure(
  transaction: Transaction,
  viewer: { endUserId: string; projectId: string; subject: string },
  { environmentHashes }: SubjectHashes,
): Promise<void> {
  const { id: erasureId } = await transaction.erasure.create({ data: viewer });
  await transaction.erasedSubject.createMany({
    data: Object.entries(environmentHashes).map(([environmentId, subjectHash]) => ({
      environmentId,
      subjectHash,
      erasureId,
    })),
  });
}

/** Keeps the block of an end user that is erased. */
export async function keepBlock(
  transaction: Transaction,
  { id: endUserId, projectId }: { id: string; projectId: string },
  { projectHash: subjectHash, environmentHashes }: SubjectHashes,
): Promise<void> {
  await transaction.erasedBlock.create({ data: { endUserId, projectId, subjectHash, environmentHashes } });
}

/** The block that is kept of an erased viewer with this hash of project and subject; null if there is none. */
export async function findKeptBlock(
  transaction: Transaction,
  projectId: string,
  subjectHash: string,
): Promise<Pick<ErasedBlock, 'endUserId'> | null> {
  return transaction.erasedBlock.findUnique({
    where: { projectId_subjectHash: { projectId, subjectHash } },
    select: { endUserId: true },
  });
}

/** The same block, which stays until the transaction ends; undefined if there is none. */
export async function lockKeptBlock(
  transaction: Transaction,
  projectId: string,
  subjectHash: string,
): Promise<Pick<ErasedBlock, 'endUserId'> | undefined> {
  const [found] = await transaction.$queryRaw<Pick<ErasedBlock, 'endUserId'>[]>`
    SELECT end_user_id AS "endUserId" FROM erased_block
    WHERE project_id = ${projectId}::uuid AND subject_hash = ${subjectHash} FOR UPDATE`;
  return found;
}

/**
 * Has a new end user take over a kept block: what is published of it now belongs to the new one, so that playback refuses the viewer at
 * every moment.
 */
export async function passBlockOn(
  transaction: Transaction,
  { endUserId }: Pick<ErasedBlock, 'endUserId'>,
  successorId: string,
): Promise<void> {
  await transaction.erasedBlock.delete({ where: { endUserId } });
  await transaction.publishedDocument.updateMany({
    where: { documentKind: 'endUser', documentId: endUserId },
    data: { documentId: successorId },
  });
}
