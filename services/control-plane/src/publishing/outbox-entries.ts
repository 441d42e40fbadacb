import type { Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { isRestrictedEndUser } from './restricted-end-users';

/**
 * Adds an outbox entry in a change's own transaction: the record's published document may have changed. For `content`
 * and `apiClient`, pass the record's own id, not the customer's reference. The entry is committed or rolled back with
 * the change. Wake the publisher after the commit. `bulk`: the entry is one of very many and may wait for others.
 */
export async function addOutboxEntry(
  transaction: Transaction,
  documentKind: DocumentKind,
  documentId: string,
  bulk = false,
): Promise<void> {
  await transaction.outboxEntry.create({ data: { documentKind, documentId, bulk } });
}

/**
 * Adds an outbox entry for every end user of the project that playback must know: each is published for every
 * environment, so all of them change when an environment is added or removed. A new environment is served once none of
 * these entries is left.
 */
export async function addEntriesForEndUsers(transaction: Transaction, projectId: string): Promise<void> {
  // Waits for end users that are being created and blocks further ones: one created meanwhile would not see the new
  // environment, would be published without it, and would be missed here.
  await transaction.$queryRaw`SELECT 1 FROM project WHERE id = ${projectId}::uuid FOR UPDATE`;
  await transaction.$executeRaw`
    INSERT INTO outbox_entry (document_kind, document_id, bulk)
    SELECT 'endUser', id, true FROM end_user WHERE project_id = ${projectId}::uuid AND ${isRestrictedEndUser}`;
}

/**
 * Has restored environments published like new ones: they are served once no bulk entry of an end user of their project
 * is left, because the documents of blocked viewers were removed with the environment and must be back first.
 */
export async function publishLikeNew(transaction: Transaction, environmentIds: string[]): Promise<void> {
  await transaction.publishedDocument.updateMany({
    where: { documentKind: 'environment', documentId: { in: environmentIds } },
    data: { revision: 0 },
  });
}
