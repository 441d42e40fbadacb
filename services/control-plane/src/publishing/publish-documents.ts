import type { Database, Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import type { DocumentWriter } from './document-writer';
import { addEntriesForSuccessors, keysToRemember } from './former-keys';
import { lockDocuments } from './locked-documents';
import { isOutage } from './outage';
import type { PublicationMark } from './publication-mark';
import { publishAgainIfDisconnected } from './publish-again';
import { recordKeys } from './record-keys';
import { batchRenderers, type RenderedDocument } from './renderers';
import { moveRevisionsPast, takeRevision } from './revisions';

/** Where documents are published. */
export interface PublishingStore {
  write: DocumentWriter;
  mark: Pick<PublicationMark, 'begin' | 'connections'>;
}

/** Called for an environment that was not published before, in the transaction that publishes it. */
export type OnNewEnvironment = (transaction: Transaction, environmentId: string) => Promise<void>;

/** A document to write, empty for a tombstone, and the record that it belongs to. */
interface Written {
  documentId: string;
  document: string;
}

/** By key. */
type Documents = Map<string, Written>;

interface PublishingOptions extends PublishingStore {
  prisma: Database;
  now: () => Date;
  onNewEnvironment?: OnNewEnvironment | undefined;
}

/** The first, after recording rows of new records, after recording new keys, and without what cannot be rendered and what cannot be written. */
const mostAttempts = 5;

/**
 * Updates what Redis holds of records of a kind, in one PostgreSQL transaction around the writes to Redis. If anything fails, the outbox
 * entries remain, and the next attempt has a later revision and reads a state that is at least as new. So the greatest revision is always
 * the newest state, however attempts and instances overlap. All keys of the records are written together with one revision; documents that
 * are no longer rendered are replaced by tombstones. Once Redis has them, its mark is raised (`PublicationMark`).
 *
 * Records without an outbox entry, and those that another instance is publishing, are left as they are. A record that fails is left out, and
 * the others are published without it. Resolves to the errors of the failed ones, by id; rejects in an outage.
 */
export async function publishDocuments(
  options: PublishingOptions,
  documentKind: DocumentKind,
  ids: string[],
): Promise<Map<string, unknown>> {
  const { prisma, mark } = options;
  const failed = new Map<string, unknown>();
  let left = ids;
  for (let attempt = 1; left.length > 0; attempt += 1) {
    try {
      const publish = () => publishLocked(options, documentKind, left);
      const done = await publishAgainIfDisconnected(prisma, mark, documentKind, left, publish);
      left = await recordNew(
        prisma,
        documentKind,
        left.filter((id) => !done.has(id)),
      );
    } catch (error) {
      if (isOutage(error)) throw error;
      if (error instanceof UnrecordedKeys && attempt < mostAttempts) {
        await recordKeys(prisma, documentKind, error.keys);
        continue;
      }
      const errors = error instanceof FailedRecords ? error.errors : new Map(left.map((id) => [id, error]));
      for (const [id, reason] of errors) failed.set(id, reason);
      left = left.filter((id) => !errors.has(id));
    }
  }
  return failed;
}

/** Keys that have to be recorded before anything is written under them, by record. */
class UnrecordedKeys extends Error {
  constructor(readonly keys: Map<string, string[]>) {
    super('there are new keys that are not recorded yet');
    this.name = 'UnrecordedKeys';
  }
}

/** Records that fail for reasons of their own: why, by id. */
class FailedRecords extends Error {
  constructor(readonly errors: Map<string, unknown>) {
    super('some records cannot be published');
    this.name = 'FailedRecords';
  }
}

/** Records which keys records that were never published will have; resolves to the ids of those for which no other instance has done so. */
async function recordNew(prisma: Database, documentKind: DocumentKind, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rendered = await render(prisma, documentKind, ids);
  const created = await prisma.publishedDocument.createManyAndReturn({
    data: ids.map((documentId) => ({
      documentKind,
      documentId,
      keys: (rendered.get(documentId) ?? []).map(({ key }) => key),
    })),
    select: { documentId: true },
    skipDuplicates: true,
  });
  return created.map(({ documentId }) => documentId);
}

/** The documents of records, by id. Throws `FailedRecords`. */
async function render(
  transaction: Database | Transaction,
  documentKind: DocumentKind,
  ids: string[],
): Promise<Map<string, RenderedDocument[]>> {
  const renderers = await batchRenderers[documentKind](transaction, ids);
  const documents = new Map<string, RenderedDocument[]>();
  const errors = new Map<string, unknown>();
  for (const [id, renderOne] of renderers) {
    try {
      documents.set(id, renderOne());
    } catch (error) {
      errors.set(id, error);
    }
  }
  if (errors.size > 0) throw new FailedRecords(errors);
  return documents;
}

/**
 * Resolves to the ids of records that are done. The others were never published, or another instance is publishing them: changes that the
 * other one misses still have outbox entries. Throws `UnrecordedKeys` and `FailedRecords`.
 */
async function publishLocked(
  { prisma, write, mark, now, onNewEnvironment }: PublishingOptions,
  documentKind: DocumentKind,
  ids: string[],
): Promise<Set<string>> {
  return prisma.$transaction(
    async (transaction) => {
      // One attempt at a time for each record: everything below happens under these locks.
      const locked = await lockDocuments(transaction, documentKind, ids);
      const done = new Set(locked.keys());
      const isNew = (id: string) => documentKind === 'environment' && locked.get(id)?.revision === 0n;
      const waiting = await environmentsThatWait(transaction, [...done].filter(isNew)); // their outbox entries remain
      const taken = await takeOutboxEntries(
        transaction,
        documentKind,
        [...done].filter((id) => !waiting.has(id)),
      );
      if (taken === undefined) return done; // another instance has published the changes meanwhile
      // Only now, in a separate statement: it sees at least every change whose outbox entry was deleted above.
      const rendered = await render(transaction, documentKind, taken.ids);
      const documents: Documents = new Map();
      for (const [documentId, own] of rendered)
        for (const { key, document } of own) documents.set(key, { documentId, document: JSON.stringify(document) });
      const keysOf = (id: string) => (rendered.get(id) ?? []).map(({ key }) => key);
      const recordedOf = (id: string) => locked.get(id)?.keys ?? [];
      requireRecordedKeys(taken.ids, keysOf, recordedOf);
      const formerKeys = taken.ids.flatMap((documentId) =>
        recordedOf(documentId)
          .filter((key) => !keysOf(documentId).includes(key))
          .map((key) => ({ documentId, key })),
      );
      const tombstones = formerKeys.filter(({ key }) => !documents.has(key)); // the others have a successor among these
      for (const { documentId, key } of tombstones) documents.set(key, { documentId, document: '' });
      if (documents.size === 0) return done; // deleted before they were ever published
      for (const id of taken.ids) if (isNew(id) && rendered.has(id)) await onNewEnvironment?.(transaction, id);
      const raiseMark = await mark.begin();
      const revision = await writeAsNewest(transaction, write, documents, taken.revision);
      const raised = await raiseMark(transaction);
      await addEntriesForSuccessors(transaction, documentKind, tombstones);
      const remembered = await keysToRemember(transaction, documentKind, formerKeys);
      const published = new Set([...rendered.keys(), ...formerKeys.map(({ documentId }) => documentId)]);
      const rows = Array.from(published, (id) => ({
        id,
        keys: [...keysOf(id), ...remembered.filter(({ documentId }) => documentId === id).map(({ key }) => key)],
      }));
      await transaction.$executeRaw`
        UPDATE published_document SET keys = row.keys, revision = ${revision}, mark = ${raised}, published_at = ${now()}
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, keys text[])
        WHERE document_kind = ${documentKind}::document_kind AND document_id = row.id`;
      return done;
    },
    { isolationLevel: 'ReadCommitted' },
  );
}

function requireRecordedKeys(
  ids: string[],
  keysOf: (id: string) => string[],
  recordedOf: (id: string) => string[],
): void {
  const unrecorded = new Map<string, string[]>();
  for (const id of ids) {
    const recorded = recordedOf(id);
    const added = keysOf(id).filter((key) => !recorded.includes(key));
    if (added.length > 0) unrecorded.set(id, added);
  }
  if (unrecorded.size > 0) throw new UnrecordedKeys(unrecorded);
}

/**
 * Those of these environments for whose project end users still wait to be published since environments were added or removed. One that is
 * being published still counts, because its outbox entry remains until it is in Redis. An archived environment waits for nobody.
 */
async function environmentsThatWait(transaction: Transaction, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  // OFFSET 0 keeps the planner from starting with the outbox entries, of which another project may have very many.
  const rows = await transaction.$queryRaw<{ id: string }[]>`
    SELECT id FROM environment WHERE id = ANY(${ids}::uuid[]) AND status = 'active' AND EXISTS (
      SELECT FROM end_user WHERE project_id = environment.project_id AND EXISTS (
        SELECT FROM outbox_entry WHERE document_kind = 'endUser' AND document_id = end_user.id AND bulk OFFSET 0))`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Deletes the outbox entries of records and takes a revision. Revisions are never rolled back and never reused, so an attempt that failed to
 * commit cannot be taken for a later one. Resolves to the ids of the records that had entries; undefined if none had.
 */
async function takeOutboxEntries(
  transaction: Transaction,
  documentKind: DocumentKind,
  ids: string[],
): Promise<{ ids: string[]; revision: bigint } | undefined> {
  if (ids.length === 0) return undefined;
  const [row] = await transaction.$queryRaw<{ ids: string[]; revision: bigint }[]>`
    WITH taken AS (
      DELETE FROM outbox_entry
      WHERE document_kind = ${documentKind}::document_kind AND document_id = ANY(${ids}::uuid[])
      RETURNING document_id)
    SELECT array_agg(DISTINCT document_id) AS ids, nextval('publication_revision') AS revision
    FROM taken HAVING count(*) > 0`;
  return row;
}

/** Writes documents, by key, with this revision or a later one, and returns that revision. Throws `FailedRecords`. */
async function writeAsNewest(
  transaction: Transaction,
  write: DocumentWriter,
  documents: Documents,
  revision: bigint,
): Promise<bigint> {
  const present = await writeAll(write, documents, revision);
  if (present === null) return revision;
  // Redis has a later revision than the sequence: PostgreSQL was restored from a backup or lost its latest writes.
  await moveRevisionsPast(transaction, present);
  const later = await takeRevision(transaction);
  if ((await writeAll(write, documents, later)) !== null) {
    throw new Error(`revision ${later} is not later than what Redis holds`);
  }
  return later;
}

/** Resolves to null, or to the greatest revision that prevented a write. */
async function writeAll(write: DocumentWriter, documents: Documents, revision: bigint): Promise<bigint | null> {
  const errors = new Map<string, unknown>();
  const writeOne = async ([key, { documentId, document }]: [string, Written]) => {
    try {
      return await write({ key, revision, document });
    } catch (error) {
      if (isOutage(error)) throw error;
      errors.set(documentId, error);
      return null;
    }
  };
  const present = (await Promise.all(Array.from(documents, writeOne))).filter((held) => held !== null);
  if (errors.size > 0) throw new FailedRecords(errors);
  return present.reduce(
    (greatest: bigint | null, held) => (greatest !== null && greatest > held ? greatest : held),
    null,
  );
}
