import type { Database } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';

/** A record whose published document may have changed. */
export interface ChangedDocument {
  documentKind: DocumentKind;
  documentId: string;
}

/** Sorts before every record: the first kind, and an id that no record has. */
export const beginning: ChangedDocument = {
  documentKind: 'organization',
  documentId: '00000000-0000-0000-0000-000000000000',
};

/**
 * Records with outbox entries, each once, at most `limit`, starting after the given one, in the order of
 * `DocumentKind`, so that parents come before their children. With `bulk`, only bulk entries; otherwise only individual
 * ones.
 */
export async function changedDocuments(
  prisma: Database,
  bulk: boolean,
  after: ChangedDocument,
  limit: number,
): Promise<ChangedDocument[]> {
  return prisma.$queryRaw<ChangedDocument[]>`
    SELECT DISTINCT document_kind AS "documentKind", document_id AS "documentId"
    FROM outbox_entry
    WHERE bulk = ${bulk}
      AND (document_kind, document_id) > (${after.documentKind}::document_kind, ${after.documentId}::uuid)
    ORDER BY document_kind, document_id
    LIMIT ${limit}`;
}
