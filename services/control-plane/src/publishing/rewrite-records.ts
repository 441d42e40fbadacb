import { formerEndUserKeyStart } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import { addedKeys, renderRecords, writeDocuments } from './current-documents';
import { type DocumentWriter, RedisFull } from './document-writer';
import type { PublishedPage } from './published-pages';
import { recordKeys } from './record-keys';

export interface RewriteRecordsOptions {
  prisma: Database;
  write: DocumentWriter;
  logger: Logger;
}

/** What to write of the records: their documents, tombstones for keys under which they have none any more, or both. */
export interface Rewritten {
  documents: boolean;
  tombstones: boolean;
}

/**
 * Writes published records again to a Redis that lost them: their current state with the revision recorded in the
 * database. The state is read after the revision, so it is at least as new. If it is newer, the change has an outbox
 * entry and will be published with a later revision. Documents in Redis with the same or a later revision stay. So
 * nothing is locked. Keys that are not recorded are left to their own outbox entries, except those of end users, which
 * are recorded first: they change with the published format, and a viewer whose document is missing could play.
 *
 * An emptied Redis needs no tombstones; one with an older state does. What a former format has left of end users is removed in any case,
 * because it names them.
 *
 * Resolves to the ids of records that could not be written, which it logs. Rejects with `RedisUnavailable`, with `RedisFull` once it has
 * written what has room, and if the database is unavailable.
 */
export async function rewriteRecords(
  { prisma, write, logger }: RewriteRecordsOptions,
  { kind, records }: PublishedPage,
  rewritten: Rewritten,
): Promise<string[]> {
  const { rendered, errors } = await renderRecords(prisma, kind, records);
  const writesAdded = rewritten.documents && kind === 'endUser';
  if (writesAdded) await recordKeys(prisma, kind, addedKeys(rendered));
  const written = await writeDocuments(
    write,
    rendered.flatMap(({ id, revision, documents, added, former }) => {
      const removed = former.filter((key) => rewritten.tombstones || key.startsWith(formerEndUserKeyStart));
      const kept = rewritten.documents ? documents.filter(({ key }) => writesAdded || !added.includes(key)) : [];
      return [...removed.map((key) => ({ key, document: '' })), ...kept].map((own) => ({
        documentId: id,
        revision,
        ...own,
      }));
    }),
  );
  for (const [id, error] of written.errors) errors.set(id, error);
  for (const [id, error] of errors) {
    if (error instanceof RedisFull) throw error;
    logger.error('a document cannot be published', { document: `${kind} ${id}`, error });
  }
  return [...errors.keys()];
}
