import type { Database, Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { lockDocuments } from './locked-documents';
import { isOutage } from './outage';
import { publishAgainIfDisconnected } from './publish-again';
import type { PublishingStore } from './publish-document';
import { recordKeys } from './record-keys';
import { batchRenderers } from './renderers';
import { takeRevision } from './revisions';

/** Attempts: the first, one after recording rows of new records, and one after recording new keys. */
const mostAttempts = 3;

/** What has to be done before records can be published together. Nothing was committed. */
class NotYet extends Error {
  constructor(
    /** Keys that are not recorded yet, by record. */
    readonly unrecorded: Map<string, string[]>,
    /** Records with keys that need a tombstone. */
    readonly withTombstones: string[],
  ) {
    super('some records cannot be published together yet');
    this.name = 'NotYet';
  }
}

/**
 * Publishes many records of a kind with a few statements for all of them, by the rules of `publishDocument`, with one revision for all.
 * Covers the usual case only. Resolves to the ids of records that it has not published, such as those that need a tombstone and all of a
 * page with a record that cannot be rendered: publish these one by one. Rejects in an outage.
 */
export async function publishTogether(
  database: Database,
  store: PublishingStore,
  documentKind: DocumentKind,
  ids: string[],
  now: () => Date,
): Promise<string[]> {
  const alone: string[] = [];
  let together = ids;
  try {
    for (let attempt = 0; attempt < mostAttempts && together.length > 0; attempt += 1) {
      try {
        const publish = () => publishLocked(database, store, documentKind, together, now);
        const published = new Set(
          await publishAgainIfDisconnected(database, store.mark, documentKind, together, publish),
        );
        together = together.filter((id) => !published.has(id));
        if (together.length > 0) await recordNew(database, documentKind, together);
      } catch (error) {
        if (!(error instanceof NotYet)) throw error;
        await recordKeys(database, documentKind, error.unrecorded);
        alone.push(...error.withTombstones);
        together = together.filter((id) => !error.withTombstones.includes(id));
      }
    }
  } catch (error) {
    if (isOutage(error)) throw error;
    return ids; // one by one, each fails or succeeds for itself
  }
  return [...alone, ...together];
}

/** Records that were never published, and the keys that they will be published under. */
async function recordNew(database: Database, documentKind: DocumentKind, ids: string[]): Promise<void> {
  const rendered = await batchRenderers[documentKind](database, ids);
  await database.publishedDocument.createMany({
    data: ids.map((documentId) => ({
      documentKind,
      documentId,
      keys: (rendered.get(documentId)?.() ?? []).map(({ key }) => key),
    })),
    skipDuplicates: true,
  });
}

/**
 * Resolves to the ids of records that are done. The others were never published, or another instance is publishing them. Throws `NotYet`.
 */
async function publishLocked(
  database: Database,
  store: PublishingStore,
  documentKind: DocumentKind,
  ids: string[],
  now: () => Date,
): Promise<string[]> {
  return database.$transaction(
    async (transaction) => {
      const locked = await lockDocuments(transaction, documentKind, ids);
      if (locked.size === 0) return [];
      const done = [...locked.keys()];
      const taken = await takeOutboxEntries(transaction, documentKind, done);
      if (taken.length === 0) return done; // another instance has published the changes meanwhile
      const revision = await takeRevision(transaction);
      // Only now, in a separate statement: it sees at least every change whose outbox entry was deleted above.
      const rendered = await batchRenderers[documentKind](transaction, taken);
      const documents: { key: string; document: string }[] = [];
      const written: string[] = [];
      const unrecorded = new Map<string, string[]>();
      const withTombstones: string[] = [];
      for (const id of taken) {
        const own = (rendered.get(id)?.() ?? []).map(({ key, document }) => ({
          key,
          document: JSON.stringify(document),
        }));
        const known = locked.get(id)?.keys ?? [];
        const keys = own.map(({ key }) => key);
        const added = keys.filter((key) => !known.includes(key));
        if (added.length > 0) unrecorded.set(id, added);
        if (known.some((key) => !keys.includes(key))) withTombstones.push(id);
        if (own.length > 0) written.push(id);
        documents.push(...own);
      }
      if (unrecorded.size > 0 || withTombstones.length > 0) throw new NotYet(unrecorded, withTombstones);
      if (written.length === 0) return done;
      const raiseMark = await store.mark.begin();
      const present = await Promise.all(documents.map((document) => store.write({ ...document, revision })));
      if (present.some((later) => later !== null)) throw new Error('Redis holds later revisions than the database');
      const mark = await raiseMark(transaction);
      await transaction.publishedDocument.updateMany({
        where: { documentKind, documentId: { in: written } },
        data: { revision, mark, publishedAt: now() },
      });
      return done;
    },
    { isolationLevel: 'ReadCommitted' },
  );
}

/** Deletes the outbox entries of these records; resolves to the ids of the records that had one. */
async function takeOutboxEntries(
  transaction: Transaction,
  documentKind: DocumentKind,
  ids: string[],
): Promise<string[]> {
  const rows = await transaction.$queryRaw<{ id: string }[]>`
    WITH taken AS (
      DELETE FROM outbox_entry
      WHERE document_kind = ${documentKind}::document_kind AND document_id = ANY(${ids}::uuid[])
      RETURNING document_id
    )
    SELECT DISTINCT document_id AS id FROM taken`;
  return rows.map(({ id }) => id);
}
