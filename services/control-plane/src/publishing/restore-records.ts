import type { Logger } from '@multi-drm/service-kit';
import type { DocumentKind, PrismaClient } from '../generated/prisma/client';
import { type DocumentWriter, RedisFull, RedisUnavailable } from './document-writer';
import { publishedRecords } from './project-records';
import { batchRenderers } from './renderers';

/** Documents that are written at once, in one pipeline. */
const writesAtOnce = 250;

export interface RestoreRecordsOptions {
  prisma: PrismaClient;
  write: DocumentWriter;
  logger: Logger;
}

/**
 * Writes what was published of records to a Redis that has lost it: their present state, under the revision that the
 * database knows. It is as new as that revision, since it is read after it; where it is newer, the change is marked and
 * will be published under a later one; and what Redis holds under the same or a later revision stays. So nothing is
 * locked, and nothing is written to the database. Records that were never published are left to their own marks, and so
 * are keys that are not recorded.
 *
 * Resolves to the ids of records that could not be written, which it logs. Rejects with `RedisUnavailable` or
 * `RedisFull`, and where the database is out of reach.
 */
export async function restoreRecords(
  { prisma, write, logger }: RestoreRecordsOptions,
  documentKind: DocumentKind,
  ids: string[],
): Promise<string[]> {
  const published = await publishedRecords(prisma, documentKind, ids);
  if (published.length === 0) return [];
  // Only now, in a statement of its own.
  const rendered = await batchRenderers[documentKind](
    prisma,
    published.map(({ id }) => id),
  );
  const failed: string[] = [];
  const failedWith = (id: string, error: unknown) => {
    logger.error('a document cannot be published', { document: `${documentKind} ${id}`, error });
    failed.push(id);
  };
  const writes: { id: string; key: string; revision: bigint; document: string }[] = [];
  for (const { id, keys, revision } of published) {
    try {
      for (const { key, document } of rendered.get(id)?.() ?? []) {
        if (keys.includes(key)) writes.push({ id, key, revision, document: JSON.stringify(document) });
      }
    } catch (error) {
      failedWith(id, error);
    }
  }
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
