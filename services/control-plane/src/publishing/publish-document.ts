import type { DocumentKind, Prisma, PrismaClient } from '../generated/prisma/client';
import type { DocumentWriter } from './document-writer';
import { renderRecord } from './renderers';

/** A record whose published document may have changed. */
export interface ChangedDocument {
  documentKind: DocumentKind;
  documentId: string;
}

/** Is told of an environment that was not published before, in the transaction that publishes it. */
export type OnNewEnvironment = (transaction: Prisma.TransactionClient, environmentId: string) => Promise<void>;

/**
 * Brings what Redis holds of a record up to date, in one transaction of PostgreSQL around the writes to Redis. Whatever
 * fails, the marks of the change are still there, and the next attempt has a later revision and reads a state at least
 * as new: so the greatest revision is always the newest state, however attempts and instances overlap. All keys of a
 * record are written together, under one revision; what was published and is not rendered any more gets a tombstone.
 */
export async function publishDocument(
  prisma: PrismaClient,
  write: DocumentWriter,
  { documentKind, documentId }: ChangedDocument,
  now: () => Date,
  onNewEnvironment: OnNewEnvironment = async () => undefined,
): Promise<void> {
  const document = { documentKind, documentId };
  try {
    if (await publishLocked(prisma, write, document, now, onNewEnvironment)) return;
    const keys = (await renderRecord(prisma, documentKind, documentId)).map(({ key }) => key);
    const data = { ...document, key: keys[0] ?? null, keys };
    const { count } = await prisma.publishedDocument.createMany({ data, skipDuplicates: true });
    if (count === 1) await publishLocked(prisma, write, document, now, onNewEnvironment);
  } catch (error) {
    if (!(error instanceof UnrecordedKeys)) throw error;
    await recordKeys(prisma, document, error.keys);
    await publishLocked(prisma, write, document, now, onNewEnvironment);
  }
}

/**
 * Keys are recorded before anything is written under them: a record that is gone after an attempt that reached Redis and
 * failed to commit is still taken back.
 */
class UnrecordedKeys extends Error {
  constructor(readonly keys: string[]) {
    super('keys have come that are not recorded yet');
    this.name = 'UnrecordedKeys';
  }
}

async function recordKeys(
  prisma: PrismaClient,
  { documentKind, documentId }: ChangedDocument,
  keys: string[],
): Promise<void> {
  await prisma.$executeRaw`
    UPDATE published_document SET keys = ARRAY(SELECT DISTINCT unnest(keys || ${keys}::text[]))
    WHERE document_kind = ${documentKind}::document_kind AND document_id = ${documentId}::uuid`;
}

/**
 * False where the record was never published, or another instance is at it: what that one misses is still marked. Throws
 * `UnrecordedKeys`.
 */
async function publishLocked(
  prisma: PrismaClient,
  write: DocumentWriter,
  { documentKind, documentId }: ChangedDocument,
  now: () => Date,
  onNewEnvironment: OnNewEnvironment,
): Promise<boolean> {
  return prisma.$transaction(
    async (transaction) => {
      // One attempt at a time: everything below happens under this lock.
      const locked = await lockDocument(transaction, { documentKind, documentId });
      if (locked === undefined) return false;
      const isNewEnvironment = documentKind === 'environment' && locked.revision === 0n;
      if (isNewEnvironment && (await hasMarkedEndUsers(transaction, documentId))) return true; // its marks stay
      const revision = await takeMarks(transaction, { documentKind, documentId });
      if (revision === undefined) return true; // another instance has published the change meanwhile
      // Only now, in a statement of its own: it sees at least each change whose mark was deleted above.
      const rendered = await renderRecord(transaction, documentKind, documentId);
      const documents = new Map(rendered.map(({ key, document }) => [key, JSON.stringify(document)]));
      const unrecorded = [...documents.keys()].filter((key) => !locked.keys.includes(key));
      if (unrecorded.length > 0) throw new UnrecordedKeys(unrecorded);
      const tombstones = locked.keys.filter((key) => !documents.has(key));
      for (const key of tombstones) documents.set(key, '');
      if (documents.size === 0) return true; // gone before it was ever published
      if (isNewEnvironment && rendered.length > 0) await onNewEnvironment(transaction, documentId);
      const published = await writeAsNewest(transaction, write, documents, revision);
      await markSuccessors(transaction, { documentKind, documentId }, tombstones);
      // A former key that may be another record's now, and may name a person, is taken back once and then forgotten.
      const keys = reusesKeys.has(documentKind) ? rendered.map(({ key }) => key) : [...documents.keys()];
      await transaction.$executeRaw`
        UPDATE published_document
        SET key = ${keys[0] ?? null}, keys = ${keys}::text[], revision = ${published}, published_at = ${now()}
        WHERE document_kind = ${documentKind}::document_kind AND document_id = ${documentId}::uuid`;
      return true;
    },
    { isolationLevel: 'ReadCommitted' },
  );
}

/**
 * Marks the records that have a former subject or name of this one now: they are published under the same keys, and the
 * tombstones may have come last.
 */
async function markSuccessors(
  transaction: Prisma.TransactionClient,
  { documentKind, documentId }: ChangedDocument,
  tombstones: string[],
): Promise<void> {
  // A key ends with the subject or name, behind its hash tag.
  const names = [...new Set(tombstones.map((key) => key.slice(key.indexOf('}:') + 2)))];
  if (names.length === 0) return;
  if (documentKind === 'endUser') {
    await transaction.$executeRaw`
      INSERT INTO outbox_entry (document_kind, document_id)
      SELECT 'endUser', successor.id
      FROM end_user former JOIN end_user successor USING (project_id)
      WHERE former.id = ${documentId}::uuid AND successor.id <> former.id AND successor.subject = ANY(${names}::text[])`;
  }
  if (documentKind === 'licenseProfile') {
    await transaction.$executeRaw`
      INSERT INTO outbox_entry (document_kind, document_id)
      SELECT 'licenseProfile', successor.id
      FROM license_profile former JOIN license_profile successor USING (project_id)
      WHERE former.id = ${documentId}::uuid AND successor.id <> former.id AND successor.name = ANY(${names}::text[])`;
  }
}

/** Kinds whose keys can pass from one record to another: by a subject or name that was given up. */
const reusesKeys = new Set<DocumentKind>(['endUser', 'licenseProfile']);

interface LockedDocument {
  /** Every key that the record was published under. */
  keys: string[];
  revision: bigint;
}

async function lockDocument(
  transaction: Prisma.TransactionClient,
  { documentKind, documentId }: ChangedDocument,
): Promise<LockedDocument | undefined> {
  const [row] = await transaction.$queryRaw<(LockedDocument & { key: string | null })[]>`
    SELECT key, keys, revision FROM published_document
    WHERE document_kind = ${documentKind}::document_kind AND document_id = ${documentId}::uuid
    FOR UPDATE SKIP LOCKED`;
  if (row === undefined) return undefined;
  // An older version of this program knows the column `key` alone.
  return { revision: row.revision, keys: [...new Set(row.key === null ? row.keys : [row.key, ...row.keys])] };
}

/**
 * Whether end users of an environment's project wait to be published since environments came or went. One that is being
 * published still counts: its mark is there until it is in Redis. One that is archived waits for nobody.
 */
async function hasMarkedEndUsers(transaction: Prisma.TransactionClient, environmentId: string): Promise<boolean> {
  // OFFSET 0 keeps the planner from beginning with the marks, of which another project may have very many.
  const found = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM environment JOIN end_user USING (project_id)
    WHERE environment.id = ${environmentId}::uuid AND environment.status = 'active' AND EXISTS (
      SELECT FROM outbox_entry WHERE document_kind = 'endUser' AND document_id = end_user.id AND bulk OFFSET 0
    )
    LIMIT 1`;
  return found.length > 0;
}

/**
 * Deletes the record's marks and takes a revision, which is never rolled back and never given twice, so that an attempt
 * that failed to commit cannot be taken for a later one. Undefined where there are no marks.
 */
async function takeMarks(
  transaction: Prisma.TransactionClient,
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

/** Writes the documents, by their keys, under this revision or a later one, and returns that. */
async function writeAsNewest(
  transaction: Prisma.TransactionClient,
  write: DocumentWriter,
  documents: Map<string, string>,
  revision: bigint,
): Promise<bigint> {
  const present = await writeAll(write, documents, revision);
  if (present === null) return revision;
  // Redis knows a later revision than the sequence: PostgreSQL came back from a backup or lost its last moments.
  await transaction.$executeRaw`
    SELECT setval('publication_revision', GREATEST(last_value, ${present})) FROM publication_revision`;
  const [row] = await transaction.$queryRaw<{ later: bigint }[]>`SELECT nextval('publication_revision') AS later`;
  if (row === undefined) throw new Error('the sequence of revisions gave none');
  if ((await writeAll(write, documents, row.later)) !== null) {
    throw new Error(`revision ${row.later} is not later than what Redis holds`);
  }
  return row.later;
}

/** Resolves to null, or to the greatest revision that kept a document from being written. */
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
