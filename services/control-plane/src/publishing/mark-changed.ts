import type { DocumentKind, Prisma } from '../generated/prisma/client';

/**
 * Marks, in a change's own transaction, that the record's published document may have changed: for `content` and
 * `apiClient` the record's own id counts, not the reference that customers use. The mark is committed, or rolled back,
 * with the change. Wake the publisher after the commit.
 */
export async function markChanged(
  transaction: Prisma.TransactionClient,
  documentKind: DocumentKind,
  documentId: string,
): Promise<void> {
  await transaction.outboxEntry.create({ data: { documentKind, documentId } });
}
