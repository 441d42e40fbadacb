import type { Database, Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { addedKeys, type RecordDocument, type RecordErrors, renderRecords, writeDocuments } from './current-documents';
import type { DocumentWriter } from './document-writer';
import { addEntriesForSuccessors, keysToRemember } from './former-keys';
import { isOutage } from './outage';
import type { PublicationMark } from './publication-mark';
import { recordKeys } from './record-keys';
import { moveRevisionsPast, takeRevision } from './revisions';

/** Where documents are published. */
export interface PublishingStore {
  write: DocumentWriter;
  mark: Pick<PublicationMark, 'begin' | 'connections'>;
}

/** Called for an environment that was not published before, in the transaction that publishes it. */
export type OnNewEnvironment = (transaction: Transaction, environmentId: string) => Promise<void>;

interface PublishingOptions extends PublishingStore {
  prisma: Database;
  now: () => Date;
  onNewEnvironment?: OnNewEnvironment | undefined;
}

/** The first, after recording rows of new records, after recording new keys, and without what cannot be rendered and what cannot be written. */
const maximumAttempts = 5;

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
): Promise<RecordErrors> {
  const { prisma, mark } = options;
  const failed: RecordErrors = new Map();
  let left = ids;
  for (let attempt = 1; left.length > 0; attempt += 1) {
    try {
      const { connections } = mark;
      const done = await publishLocked(options, documentKind, left);
      if (mark.connections !== connections) await publishAgain(prisma, documentKind, left);
      left = await recordNew(
        prisma,
        documentKind,
        left.filter((id) => !done.has(id)),
      );
    } catch (error) {
      if (isOutage(error)) throw error;
      if (error instanceof UnrecordedKeys && attempt < maximumAttempts) {
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
  constructor(readonly errors: RecordErrors) {
    super('some records cannot be published');
    this.name = 'FailedRecords';
  }
}

function requireNone(errors: RecordErrors): void {
  if (errors.size > 0) throw new FailedRecords(errors);
}

/** Records which keys records that were never published will have; resolves to the ids of those for which no other instance has done so. */
async function recordNew(prisma: Database, documentKind: DocumentKind, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const records = ids.map((id) => ({ id, keys: [] }));
  const { rendered, errors } = await renderRecords(prisma, documentKind, records);
  requireNone(errors);
  const created = await prisma.publishedDocument.createManyAndReturn({
    data: rendered.map(({ id, added }) => ({ documentKind, documentId: id, keys: added })),
    select: { documentId: true },
    skipDuplicates: true,
  });
  return created.map(({ documentId }) => documentId);
}

/**
 * Has records published again because the connection to Redis was lost before their publication was committed. Redis may have lost their
 * documents together with its mark, and `LostPublications`, which reads only what is committed, may have missed them.
 */
async function publishAgain(prisma: Database, documentKind: DocumentKind, ids: string[]): Promise<void> {
  const bulk = ids.length > 1;
  await prisma.outboxEntry.createMany({ data: ids.map((documentId) => ({ documentKind, documentId, bulk })) });
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
      const locked = await lockRecords(transaction, documentKind, ids);
      const done = new Set(locked.keys());
      const isNew = (id: string) => documentKind === 'environment' && locked.get(id)?.revision === 0n;
      const waiting = await environmentsThatWait(transaction, [...done].filter(isNew)); // their outbox entries remain
      const taken = await takeOutboxEntries(
        transaction,
        documentKind,
        [...done].filter((id) => !waiting.has(id)),
      );
      if (taken === undefined) return done; // another instance has published the changes meanwhile
      const { revision } = taken;
      const recorded = taken.ids.map((id) => ({ id, keys: locked.get(id)?.keys ?? [] }));
      // Only now, in a separate statement: it sees at least every change whose outbox entry was deleted above.
      const { rendered, errors } = await renderRecords(transaction, documentKind, recorded);
      requireNone(errors);
      const unrecorded = addedKeys(rendered);
      if (unrecorded.size > 0) throw new UnrecordedKeys(unrecorded);
      const documents = rendered.flatMap(({ id, documents: own }) =>
        own.map((document) => ({ documentId: id, revision, ...document })),
      );
      const keys = new Set(documents.map(({ key }) => key));
      const formerKeys = rendered.flatMap(({ id, former }) => former.map((key) => ({ documentId: id, key })));
      const tombstones = formerKeys.filter(({ key }) => !keys.has(key)); // the others have a successor among these
      documents.push(...tombstones.map((former) => ({ ...former, revision, document: '' })));
      if (documents.length === 0) return done; // deleted before they were ever published
      const published = rendered.filter(({ documents: own, former }) => own.length > 0 || former.length > 0);
      for (const { id, documents: own } of published)
        if (isNew(id) && own.length > 0) await onNewEnvironment?.(transaction, id);
      const raiseMark = await mark.begin();
      const writtenRevision = await writeAsNewest(transaction, write, documents, revision);
      const raised = await raiseMark(transaction);
      await addEntriesForSuccessors(transaction, documentKind, tombstones);
      const remembered = await keysToRemember(transaction, documentKind, formerKeys);
      const rows = published.map(({ id, documents: own }) => ({
        id,
        keys: [...own, ...remembered.filter(({ documentId }) => documentId === id)].map(({ key }) => key),
      }));
      await transaction.$executeRaw`
        UPDATE published_document SET keys = row.keys, revision = ${writtenRevision}, mark = ${raised}, published_at = ${now()}
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, keys text[])
        WHERE document_kind = ${documentKind}::document_kind AND document_id = row.id`;
      return done;
    },
    { isolationLevel: 'ReadCommitted' },
  );
}

/** Locks the records among these that were published and that no other instance is publishing, until the transaction ends; by id. */
async function lockRecords(
  transaction: Transaction,
  documentKind: DocumentKind,
  ids: string[],
): Promise<Map<string, { keys: string[]; revision: bigint }>> {
  const rows = await transaction.$queryRaw<{ id: string; keys: string[]; revision: bigint }[]>`
    SELECT document_id AS id, keys, revision FROM published_document
    WHERE document_kind = ${documentKind}::document_kind AND document_id = ANY(${ids}::uuid[])
    FOR UPDATE SKIP LOCKED`;
  return new Map(rows.map((row) => [row.id, row]));
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

/** Writes documents with their revision or a later one, and returns that revision. Throws `FailedRecords`. */
async function writeAsNewest(
  transaction: Transaction,
  write: DocumentWriter,
  documents: RecordDocument[],
  revision: bigint,
): Promise<bigint> {
  const { errors, later } = await writeDocuments(write, documents);
  requireNone(errors);
  if (later === null) return revision;
  // Redis has a later revision than the sequence: PostgreSQL was restored from a backup or lost its latest writes.
  await moveRevisionsPast(transaction, later);
  const newest = await takeRevision(transaction);
  const again = await writeDocuments(
    write,
    documents.map((document) => ({ ...document, revision: newest })),
  );
  requireNone(again.errors);
  if (again.later !== null) throw new Error(`revision ${newest} is not later than what Redis holds`);
  return newest;
}
