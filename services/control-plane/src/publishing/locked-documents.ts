import type { Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';

/** A published record that is locked until the transaction ends. */
export interface LockedDocument {
  /** Every key that the record was published under. */
  keys: string[];
  revision: bigint;
}

/** Locks the records among these that were published and that no other instance is publishing; by id. */
export async function lockDocuments(
  transaction: Transaction,
  documentKind: DocumentKind,
  ids: string[],
): Promise<Map<string, LockedDocument>> {
  const rows = await transaction.$queryRaw<({ id: string } & LockedDocument)[]>`
    SELECT document_id AS id, keys, revision FROM published_document
    WHERE document_kind = ${documentKind}::document_kind AND document_id = ANY(${ids}::uuid[])
    FOR UPDATE SKIP LOCKED`;
  return new Map(rows.map(({ id, keys, revision }) => [id, { keys, revision }]));
}
