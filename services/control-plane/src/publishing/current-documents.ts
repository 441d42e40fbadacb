import type { Database, Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import type { DocumentWriter } from './document-writer';
import { isOutage } from './outage';
import { batchRenderers } from './renderers';

/** A record and the keys under which it was published. */
interface RecordedKeys {
  id: string;
  keys: string[];
}

/** What Redis must hold of a record. */
export type CurrentDocuments<Recorded extends RecordedKeys> = Recorded & {
  documents: { key: string; document: string }[];
  /** Keys of documents that are not recorded yet. */
  added: string[];
  /** Recorded keys under which there is no document any more. */
  former: string[];
};

/** A document to write, empty for a tombstone, and the record that it belongs to. */
export interface RecordDocument {
  documentId: string;
  key: string;
  document: string;
  revision: bigint;
}

/** Why records failed, by id. */
export type RecordErrors = Map<string, unknown>;

/** Documents written together, in one pipeline. */
const writesAtOnce = 250;

/** Reads and renders records of a kind, and compares their keys with the recorded ones. Those that cannot be rendered are left out. */
export async function renderRecords<Recorded extends RecordedKeys>(
  transaction: Database | Transaction,
  documentKind: DocumentKind,
  records: Recorded[],
): Promise<{ rendered: CurrentDocuments<Recorded>[]; errors: RecordErrors }> {
  const renderers = await batchRenderers[documentKind](
    transaction,
    records.map(({ id }) => id),
  );
  const rendered: CurrentDocuments<Recorded>[] = [];
  const errors: RecordErrors = new Map();
  for (const record of records) {
    try {
      const own = renderers.get(record.id)?.() ?? [];
      const documents = own.map(({ key, document }) => ({ key, document: JSON.stringify(document) }));
      const keys = documents.map(({ key }) => key);
      const added = keys.filter((key) => !record.keys.includes(key));
      rendered.push({ ...record, documents, added, former: record.keys.filter((key) => !keys.includes(key)) });
    } catch (error) {
      errors.set(record.id, error);
    }
  }
  return { rendered, errors };
}

/** The keys of these records that are not recorded yet, by record. */
export function addedKeys(records: CurrentDocuments<RecordedKeys>[]): Map<string, string[]> {
  return new Map(records.filter(({ added }) => added.length > 0).map(({ id, added }) => [id, added]));
}

/**
 * Writes documents to Redis. Resolves to the errors of records with a document that could not be written, `RedisFull` included, and to the
 * greatest revision in Redis that prevented a write, if any did. Rejects in an outage.
 */
export async function writeDocuments(
  write: DocumentWriter,
  documents: RecordDocument[],
): Promise<{ errors: RecordErrors; later: bigint | null }> {
  const errors: RecordErrors = new Map();
  let later: bigint | null = null;
  const writeOne = async ({ documentId, ...publication }: RecordDocument) => {
    try {
      const held = await write(publication);
      if (held !== null && (later === null || held > later)) later = held;
    } catch (error) {
      if (isOutage(error)) throw error;
      errors.set(documentId, error);
    }
  };
  for (let start = 0; start < documents.length; start += writesAtOnce) {
    await Promise.all(documents.slice(start, start + writesAtOnce).map(writeOne));
  }
  return { errors, later };
}
