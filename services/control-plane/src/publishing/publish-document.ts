import type { DocumentKind, Prisma, PrismaClient } from '../generated/prisma/client';
import type { DocumentWriter } from './document-writer';
import { renderers } from './renderers';

/** A record whose published document may have changed. */
export interface ChangedDocument {
  documentKind: DocumentKind;
  documentId: string;
}

/**
 * Brings what Redis holds of a record up to date, in one transaction of PostgreSQL around the write to Redis. Whatever
 * fails, the marks of the change are still there, and the next attempt has a later revision and reads a state at least
 * as new: so the greatest revision is always the newest state, however attempts and instances overlap.
 */
export async function publishDocument(
  prisma: PrismaClient,
  write: DocumentWriter,
  { documentKind, documentId }: ChangedDocument,
  now: () => Date,
): Promise<void> {
  const where = { documentKind, documentId };
  await prisma.publishedDocument.createMany({ data: where, skipDuplicates: true });
  await prisma.$transaction(
    async (transaction) => {
      // One attempt at a time: everything below happens under this lock.
      const locked = await lockDocument(transaction, where);
      if (locked === undefined) return;
      const marks = await transaction.outboxEntry.deleteMany({ where });
      if (marks.count === 0) return; // another instance has published the change meanwhile
      // Only now, in a statement of its own: it sees at least each change whose mark was deleted above.
      const rendered = await renderers[documentKind](transaction, documentId);
      const key = rendered?.key ?? locked.key;
      if (key === null) return; // gone before it was ever published
      const document = rendered === null ? '' : JSON.stringify(rendered.document);
      const revision = await writeAsNewest(transaction, write, key, document);
      await transaction.publishedDocument.update({
        where: { documentKind_documentId: where },
        data: { key, revision, publishedAt: now() },
      });
    },
    { isolationLevel: 'ReadCommitted' },
  );
}

/** Undefined where another instance is publishing the document: what it misses is still marked, and comes next. */
async function lockDocument(
  transaction: Prisma.TransactionClient,
  { documentKind, documentId }: ChangedDocument,
): Promise<{ key: string | null } | undefined> {
  const [row] = await transaction.$queryRaw<{ key: string | null }[]>`
    SELECT key FROM published_document
    WHERE document_kind = ${documentKind}::document_kind AND document_id = ${documentId}::uuid
    FOR UPDATE SKIP LOCKED`;
  return row;
}

/** Writes the document under the next revision, and returns that. */
async function writeAsNewest(
  transaction: Prisma.TransactionClient,
  write: DocumentWriter,
  key: string,
  document: string,
): Promise<bigint> {
  const revision = await nextRevision(transaction);
  const present = await write({ key, revision, document });
  if (present === null) return revision;
  // Redis knows a later revision than the sequence: PostgreSQL came back from a backup or lost its last moments.
  await transaction.$executeRaw`
    SELECT setval('publication_revision', GREATEST(last_value, ${present})) FROM publication_revision`;
  const later = await nextRevision(transaction);
  if ((await write({ key, revision: later, document })) !== null) {
    throw new Error(`revision ${later} is not later than what Redis holds`);
  }
  return later;
}

/** Never rolled back and never given twice, so that an attempt that failed to commit cannot be taken for a later one. */
async function nextRevision(transaction: Prisma.TransactionClient): Promise<bigint> {
  const [row] = await transaction.$queryRaw<{ revision: bigint }[]>`SELECT nextval('publication_revision') AS revision`;
  if (row === undefined) throw new Error('the sequence of revisions gave none');
  return row.revision;
}
