import type { Database, Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import type { DocumentWriter } from './document-writer';
import { lockDocuments } from './locked-documents';
import { ownFormerKeys } from './own-former-keys';
import type { PublicationMark } from './publication-mark';
import { publishAgainIfDisconnected } from './publish-again';
import { recordKeys } from './record-keys';
import { renderRecord } from './renderers';
import { moveRevisionsPast, takeRevision } from './revisions';

/** A record whose published document may have changed. */
export interface ChangedDocument {
  documentKind: DocumentKind;
  documentId: string;
}

/** Where documents are published. */
export interface PublishingStore {
  write: DocumentWriter;
  mark: Pick<PublicationMark, 'begin' | 'connections'>;
}

/** Called for an environment that was not published before, in the transaction that publishes it. */
export type OnNewEnvironment = (transaction: Transaction, environmentId: string) => Promise<void>;

/**
 * Updates what Redis holds of a record, in one PostgreSQL transaction around the writes to Redis. If anything fails,
 * the outbox entries remain, and the next attempt has a later revision and reads a state that is at least as new. So
 * the greatest revision is always the newest state, however attempts and instances overlap. All keys of a record are
 * written together with one revision; documents that are no longer rendered are replaced by tombstones. Once Redis has
 * them, its mark is raised (`PublicationMark`).
 */
export async function publishDocument(
  prisma: Database,
  store: PublishingStore,
  { documentKind, documentId }: ChangedDocument,
  now: () => Date,
  onNewEnvironment: OnNewEnvironment = async () => undefined,
): Promise<void> {
  const document = { documentKind, documentId };
  const publish = () =>
    publishAgainIfDisconnected(prisma, store.mark, documentKind, [documentId], () =>
      publishLocked(prisma, store, document, now, onNewEnvironment),
    );
  try {
    if (await publish()) return;
    const keys = (await renderRecord(prisma, documentKind, documentId)).map(({ key }) => key);
    const data = { ...document, keys };
    const { count } = await prisma.publishedDocument.createMany({ data, skipDuplicates: true });
    if (count === 1) await publish();
  } catch (error) {
    if (!(error instanceof UnrecordedKeys)) throw error;
    await recordKeys(prisma, documentKind, new Map([[documentId, error.keys]]));
    await publish();
  }
}

class UnrecordedKeys extends Error {
  constructor(readonly keys: string[]) {
    super('there are new keys that are not recorded yet');
    this.name = 'UnrecordedKeys';
  }
}

/**
 * False if the record was never published, or another instance is publishing it: changes that the other misses still
 * have outbox entries. Throws `UnrecordedKeys`.
 */
async function publishLocked(
  prisma: Database,
  store: PublishingStore,
  { documentKind, documentId }: ChangedDocument,
  now: () => Date,
  onNewEnvironment: OnNewEnvironment,
): Promise<boolean> {
  return prisma.$transaction(
    async (transaction) => {
      // One attempt at a time: everything below happens under this lock.
      const locked = (await lockDocuments(transaction, documentKind, [documentId])).get(documentId);
      if (locked === undefined) return false;
      const isNewEnvironment = documentKind === 'environment' && locked.revision === 0n;
      if (isNewEnvironment && (await hasPendingEndUsers(transaction, documentId))) return true; // its outbox entries remain
      const revision = await takeOutboxEntries(transaction, { documentKind, documentId });
      if (revision === undefined) return true; // another instance has published the change meanwhile
      // Only now, in a separate statement: it sees at least every change whose outbox entry was deleted above.
      const rendered = await renderRecord(transaction, documentKind, documentId);
      const documents = new Map(rendered.map(({ key, document }) => [key, JSON.stringify(document)]));
      const unrecorded = [...documents.keys()].filter((key) => !locked.keys.includes(key));
      if (unrecorded.length > 0) throw new UnrecordedKeys(unrecorded);
      const tombstones = locked.keys.filter((key) => !documents.has(key));
      for (const key of tombstones) documents.set(key, '');
      if (documents.size === 0) return true; // deleted before it was ever published
      if (isNewEnvironment && rendered.length > 0) await onNewEnvironment(transaction, documentId);
      const raiseMark = await store.mark.begin();
      const published = await writeAsNewest(transaction, store.write, documents, revision);
      const mark = await raiseMark(transaction);
      await addEntriesForSuccessors(transaction, { documentKind, documentId }, tombstones);
      // A former key that may now be another record's, and may name a person, gets a tombstone once and is then
      // forgotten.
      const kept = reusesKeys.has(documentKind)
        ? await ownFormerKeys(transaction, documentKind, documentId, tombstones)
        : tombstones;
      const keys = [...rendered.map(({ key }) => key), ...kept];
      await transaction.$executeRaw`
        UPDATE published_document
        SET keys = ${keys}::text[], revision = ${published}, mark = ${mark}, published_at = ${now()}
        WHERE document_kind = ${documentKind}::document_kind AND document_id = ${documentId}::uuid`;
      return true;
    },
    { isolationLevel: 'ReadCommitted' },
  );
}

/**
 * Adds outbox entries for the records that now have a former subject or name of this one: they are published under the
 * same keys, and the tombstones may have arrived last.
 */
async function addEntriesForSuccessors(
  transaction: Transaction,
  { documentKind, documentId }: ChangedDocument,
  tombstones: string[],
): Promise<void> {
  if (tombstones.length === 0) return;
  if (documentKind === 'endUser') {
    // A successor whose keys are not recorded yet will be published with a later revision.
    await transaction.$executeRaw`
      INSERT INTO outbox_entry (document_kind, document_id)
      SELECT 'endUser', document_id FROM published_document
      WHERE document_kind = 'endUser' AND keys && ${tombstones}::text[] AND document_id <> ${documentId}::uuid`;
  }
  if (documentKind === 'licenseProfile') {
    const names = [...new Set(tombstones.map(nameIn))];
    await transaction.$executeRaw`
      INSERT INTO outbox_entry (document_kind, document_id)
      SELECT 'licenseProfile', successor.id
      FROM license_profile former JOIN license_profile successor USING (project_id)
      WHERE former.id = ${documentId}::uuid AND successor.id <> former.id AND successor.name = ANY(${names}::text[])`;
  }
}

/** The key of a license profile ends with its name, after the hash tag. */
function nameIn(key: string): string {
  return key.slice(key.indexOf('}:') + 2);
}

/** Kinds whose keys can pass from one record to another, by reusing a subject or name. */
const reusesKeys = new Set<DocumentKind>(['endUser', 'licenseProfile']);

/**
 * Whether end users of an environment's project still wait to be published since environments were added or removed.
 * One that is being published still counts, because its outbox entry remains until it is in Redis. False for an
 * archived environment, which waits for nobody.
 */
async function hasPendingEndUsers(transaction: Transaction, environmentId: string): Promise<boolean> {
  // OFFSET 0 keeps the planner from starting with the outbox entries, of which another project may have very many.
  const found = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM environment JOIN end_user USING (project_id)
    WHERE environment.id = ${environmentId}::uuid AND environment.status = 'active' AND EXISTS (
      SELECT FROM outbox_entry WHERE document_kind = 'endUser' AND document_id = end_user.id AND bulk OFFSET 0
    )
    LIMIT 1`;
  return found.length > 0;
}

/**
 * Deletes the record's outbox entries and takes a revision. Revisions are never rolled back and never reused, so an
 * attempt that failed to commit cannot be taken for a later one. Undefined if there are no entries.
 */
async function takeOutboxEntries(
  transaction: Transaction,
  { documentKind, documentId }: ChangedDocument,
): Promise<bigint | undefined> {
  const [row] = await transaction.$queryRaw<{ revision: bigint }[]>`
    WITH taken AS (
      DELETE FROM outbox_entry
      WHERE document_kind = ${documentKind}::document_kind AND document_id = ${documentId}::uuid
      RETURNING id
    )
    SELECT nextval('publication_revision') AS revision WHERE EXISTS (SELECT 1 FROM taken)`;
  return row?.revision;
}

/** Writes the documents with this revision or a later one, and returns that revision. */
async function writeAsNewest(
  transaction: Transaction,
  write: DocumentWriter,
  documents: Map<string, string>,
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
async function writeAll(
  write: DocumentWriter,
  documents: Map<string, string>,
  revision: bigint,
): Promise<bigint | null> {
  const writes = [...documents].map(([key, document]) => write({ key, revision, document }));
  let greatest: bigint | null = null;
  for (const present of await Promise.all(writes)) {
    if (present !== null && (greatest === null || present > greatest)) greatest = present;
  }
  return greatest;
}
