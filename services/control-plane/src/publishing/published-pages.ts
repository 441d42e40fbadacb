import type { Database } from '../database/database';
import { type DocumentKind, Prisma } from '../generated/prisma/client';
import { noId, recordIds } from './project-records';

/** What was published of a record, according to the database. */
export interface PublishedRecord {
  kind: DocumentKind;
  id: string;
  /** The keys it was published under, with tombstones. */
  keys: string[];
  revision: bigint;
}

/** Some published records of a kind. */
export interface PublishedPage {
  kind: DocumentKind;
  records: PublishedRecord[];
}

/** The rest of a walk over published records. After an error it has no more pages, so it must be started again. */
export type PublishedPages = AsyncGenerator<PublishedPage, undefined>;

/** How many rows of a selection are read at a time. PostgreSQL may have to make the selection again for each read. */
export const selectedAtOnce = 10_000;

const publishedRecord = Prisma.sql`document_kind AS kind, document_id AS id, keys, revision`;

/**
 * Walks the published records of kinds, kind by kind, in the order of ids. `condition`: SQL that chooses rows of `published_document`.
 * `readSize`: how many rows are read at a time.
 */
export async function* publishedPages(
  prisma: Database,
  kinds: readonly DocumentKind[],
  condition: Prisma.Sql,
  pageSize: number,
  readSize = pageSize,
): PublishedPages {
  for (const kind of kinds) {
    const read = (after: string) => prisma.$queryRaw<PublishedRecord[]>`
      SELECT ${publishedRecord} FROM published_document
      WHERE document_kind = ${kind}::document_kind AND document_id > ${after}::uuid AND revision > 0 AND ${condition}
      ORDER BY document_id LIMIT ${readSize}`;
    for await (const records of inPages(pageSize, readSize, read)) yield { kind, records };
  }
}

/** Walks the published records of projects that playback must know, kind by kind, in the order of ids. */
export async function* publishedPagesOf(
  prisma: Database,
  kinds: readonly DocumentKind[],
  projectIds: string[],
  pageSize: number,
): PublishedPages {
  for (const kind of kinds) {
    const read = (after: string) => recordIds(prisma, kind, { projectIds, after, limit: selectedAtOnce });
    for await (const rows of inPages(pageSize, selectedAtOnce, read)) {
      const ids = rows.map(({ id }) => id);
      const records = await prisma.$queryRaw<PublishedRecord[]>`
        SELECT ${publishedRecord} FROM published_document
        WHERE document_kind = ${kind}::document_kind AND document_id = ANY(${ids}::uuid[]) AND revision > 0`;
      yield { kind, records };
    }
  }
}

/** Reads rows in the order of ids; `read` resolves to at most `readSize` of them after an id. */
async function* inPages<Row extends { id: string }>(
  pageSize: number,
  readSize: number,
  read: (after: string) => Promise<Row[]>,
): AsyncGenerator<Row[], undefined> {
  for (let after: string | undefined = noId; after !== undefined; ) {
    const rows: Row[] = await read(after);
    for (let start = 0; start < rows.length; start += pageSize) yield rows.slice(start, start + pageSize);
    after = rows.length < readSize ? undefined : rows.at(-1)?.id;
  }
}

/** The records that were published last, which Redis loses first. */
export function latestPublished(prisma: Database, limit: number): Promise<PublishedRecord[]> {
  return prisma.$queryRaw`
    SELECT ${publishedRecord} FROM published_document WHERE revision > 0 ORDER BY revision DESC LIMIT ${limit}`;
}
