import type { DocumentKind } from '../generated/prisma/client';
import type { ChangedDocument } from './changed-documents';
import { beginning } from './changed-documents';
import type { Completeness } from './completeness';
import { projectsOfEndUsers } from './project-records';
import type { PublicationMark } from './publication-mark';
import { moveRevisionsPast, readTakenRevisions, takeRevision } from './revisions';
import { type RewriteRecordsOptions, type Rewritten, rewriteRecords } from './rewrite-records';

export interface LostPublicationsOptions extends RewriteRecordsOptions {
  mark: Pick<PublicationMark, 'connected' | 'held' | 'raise'>;
  completeness: Pick<Completeness, 'withdraw'>;
}

interface LostRecord extends ChangedDocument {
  mark: bigint;
}

const pageSize = 500;

/** Of these kinds, the documents themselves take something away: viewers are blocked, organizations suspended. */
const takeAway = new Set<DocumentKind>(['endUser', 'organization']);

/** What is written of a kind, in two passes: first whatever takes something away. */
const passes: readonly ((kind: DocumentKind) => Rewritten)[] = [
  (kind) => ({ tombstones: true, documents: takeAway.has(kind) }),
  (kind) => ({ tombstones: false, documents: !takeAway.has(kind) }),
];

/**
 * Writes again what Redis lost because it was started from an older copy of its data, or because a replica without the latest writes
 * was promoted. Its mark shows that (`PublicationMark`), and PostgreSQL knows which records were published with a higher one, so the
 * time depends on what was lost. Then raises the mark; until then playback serves nothing. Any number of instances may run at once.
 */
export class LostPublications {
  /** The mark whose losses were logged last: while they cannot be written, each look finds them. */
  private lastLogged: bigint | undefined;

  constructor(private readonly options: LostPublicationsOptions) {}

  /**
   * Resolves at once if nothing is lost. After `isStopped` returns true, it leaves the rest to the next start. Rejects with
   * `RedisUnavailable` or `RedisFull`, and if the database is unavailable.
   */
  async restore(isStopped: () => boolean): Promise<void> {
    const { prisma, mark, logger } = this.options;
    const connection = await mark.connected();
    // Before the mark: publications that commit in between have raised it.
    const { committed, last } = await readTakenRevisions(prisma);
    const held = await mark.held();
    // An emptied Redis is refilled.
    if (held === null || held === last) return;
    if (held > last) {
      await moveRevisionsPast(prisma, held);
      return;
    }
    if (held < committed) {
      if (held !== this.lastLogged) {
        logger.warn('Redis has lost publications, which are written again', {
          mark: String(held),
          of: String(committed),
        });
        this.lastLogged = held;
      }
      if (!(await this.rewrite(held, committed, isStopped))) return;
    }
    // Also if nothing was lost: playback may know the mark of a publication that did not commit.
    await mark.raise(await takeRevision(prisma), held, connection);
    this.lastLogged = undefined;
  }

  /** Writes the records that were published with marks from `after`, exclusive, to `last`. Resolves to false if it was stopped. */
  private async rewrite(after: bigint, last: bigint, isStopped: () => boolean): Promise<boolean> {
    for (const rewrittenOf of passes) {
      let previous: LostRecord | undefined = { ...beginning, mark: after };
      while (previous !== undefined) {
        const page: LostRecord[] = await this.readPage(after, last, previous);
        for (const kind of new Set(page.map(({ documentKind }) => documentKind))) {
          if (isStopped()) return false;
          const ids = page.filter(({ documentKind }) => documentKind === kind).map(({ documentId }) => documentId);
          await this.rewriteOfKind(kind, ids, rewrittenOf(kind));
        }
        previous = page.at(-1);
      }
    }
    return true;
  }

  private readPage(after: bigint, last: bigint, previous: LostRecord): Promise<LostRecord[]> {
    return this.options.prisma.$queryRaw<LostRecord[]>`
      SELECT mark, document_kind AS "documentKind", document_id AS "documentId"
      FROM published_document
      WHERE mark > ${after} AND mark <= ${last} AND (mark, document_kind, document_id)
        > (${previous.mark}, ${previous.documentKind}::document_kind, ${previous.documentId}::uuid)
      ORDER BY mark, document_kind, document_id
      LIMIT ${pageSize}`;
  }

  private async rewriteOfKind(kind: DocumentKind, ids: string[], rewritten: Rewritten): Promise<void> {
    const { prisma, completeness } = this.options;
    const failed = await rewriteRecords(this.options, kind, ids, rewritten);
    // A blocked viewer whose document cannot be written must not be able to play. The refill tries again.
    if (kind === 'endUser' && failed.length > 0) await completeness.withdraw(await projectsOfEndUsers(prisma, failed));
  }
}
