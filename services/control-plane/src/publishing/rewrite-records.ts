import { formerEndUserKeyStart } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { type DocumentWriter, RedisFull, RedisUnavailable } from './document-writer';
import { publishedRecords } from './project-records';
import { recordKeys } from './record-keys';
import { batchRenderers } from './renderers';

/** Documents written at once, in one pipeline. */
const writesAtOnce = 250;

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
 * nothing is locked. Records that were never published, and keys that are not recorded, are left to their own outbox
 * entries, except those of end users, which are recorded first: they change with the published format, and a viewer whose
 * document is missing could play.
 *
 * An emptied Redis needs no tombstones; one with an older state does. What a former format has left of end users is removed in any case,
 * because it names them.
 *
 * Resolves to the ids of records that could not be written, which it logs. Rejects with `RedisUnavailable` or
 * `RedisFull`, and if the database is unavailable.
 */
export async function rewriteRecords(
  { prisma, write, logger }: RewriteRecordsOptions,
  documentKind: DocumentKind,
  ids: string[],
  rewritten: Rewritten = { documents: true, tombstones: false },
): Promise<string[]> {
  const published = await publishedRecords(prisma, documentKind, ids);
  if (published.length === 0) return [];
  // Only now, in a separate statement.
  const rendered = await batchRenderers[documentKind](
    prisma,
    published.map(({ id }) => id),
  );
  const failed: string[] = [];
  const unrecorded = new Map<string, string[]>();
  const failedWith = (id: string, error: unknown) => {
    logger.error('a document cannot be published', { document: `${documentKind} ${id}`, error });
    failed.push(id);
  };
  const writes: { id: string; key: string; revision: bigint; document: string }[] = [];
  for (const { id, keys, revision } of published) {
    try {
      const documents = rendered.get(id)?.() ?? [];
      const former = keys.filter((recorded) => !documents.some(({ key }) => key === recorded));
      const removed = rewritten.tombstones ? former : former.filter((key) => key.startsWith(formerEndUserKeyStart));
      writes.push(...removed.map((key) => ({ id, key, revision, document: '' })));
      for (const { key, document } of rewritten.documents ? documents : []) {
        const isRecorded = keys.includes(key);
        if (!isRecorded && documentKind !== 'endUser') continue;
        if (!isRecorded) unrecorded.set(id, [...(unrecorded.get(id) ?? []), key]);
        writes.push({ id, key, revision, document: JSON.stringify(document) });
      }
    } catch (error) {
      failedWith(id, error);
    }
  }
  await recordKeys(prisma, documentKind, unrecorded);
  while (writes.length > 0) {
    await Promise.all(
      writes.splice(0, writesAtOnce).map(async ({ id, ...publication }) => {
        try {
          await write(publication);
        } catch (error) {
          if (error instanceof RedisUnavailable || error instanceof RedisFull) throw error;
          failedWith(id, error);
        }
      }),
    );
  }
  return failed;
}
