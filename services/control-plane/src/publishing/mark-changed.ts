import type { DocumentKind, Prisma } from '../generated/prisma/client';
import { noteChange } from './changes-of-request';
import { isRestrictedEndUser } from './restricted-end-users';

/**
 * Marks, in a change's own transaction, that the record's published document may have changed: for `content` and
 * `apiClient` the record's own id counts, not the reference that customers use. The mark is committed, or rolled back,
 * with the change. Wake the publisher after the commit. `bulk`: it is one of very many, and may wait for others.
 */
export async function markChanged(
  transaction: Prisma.TransactionClient,
  documentKind: DocumentKind,
  documentId: string,
  bulk = false,
): Promise<void> {
  await transaction.outboxEntry.create({ data: { documentKind, documentId, bulk } });
  if (!bulk) noteChange({ documentKind, documentId });
}

/**
 * Marks, as `markChanged` does, every end user of the project that playback has to know of: each is published for every
 * environment, so all of them change when an environment comes or goes. A new environment serves once none of these marks is left.
 */
export async function markEndUsersOf(transaction: Prisma.TransactionClient, projectId: string): Promise<void> {
  // Waits for end users that are being made, and has others wait: one that came in between would be published without
  // the environment, which it does not see yet, and be missed here.
  await transaction.$queryRaw`SELECT 1 FROM project WHERE id = ${projectId}::uuid FOR UPDATE`;
  await transaction.$executeRaw`
    INSERT INTO outbox_entry (document_kind, document_id, bulk)
    SELECT 'endUser', id, true FROM end_user WHERE project_id = ${projectId}::uuid AND ${isRestrictedEndUser}`;
}

/**
 * Marks, as `markChanged` does, environments that serve again. Like new ones they serve once no bulk mark of an end user
 * of their project is left: the documents of blocked viewers went with the environment and must be back before it is.
 */
export async function markEnvironmentsRestored(
  transaction: Prisma.TransactionClient,
  environmentIds: string[],
): Promise<void> {
  await transaction.publishedDocument.updateMany({
    where: { documentKind: 'environment', documentId: { in: environmentIds } },
    data: { revision: 0 },
  });
  for (const id of environmentIds) await markChanged(transaction, 'environment', id);
}
