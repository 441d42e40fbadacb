import { type DocumentKind, Prisma } from '../generated/prisma/client';
import type { Completeness } from './completeness';
import { projectsOfEndUsers } from './project-records';
import type { PublicationMark } from './publication-mark';
import { publishedPages, selectedAtOnce } from './published-pages';
import { moveRevisionsPast, readTakenRevisions, takeRevision } from './revisions';
import { type RewriteRecordsOptions, type Rewritten, rewriteRecords } from './rewrite-records';

export interface LostPublicationsOptions extends RewriteRecordsOptions {
  mark: Pick<PublicationMark, 'connected' | 'held' | 'raise'>;
  completeness: Pick<Completeness, 'withdraw'>;
}

const pageSize = 500;

/** Of these kinds, the documents themselves take something away: viewers are blocked, organizations suspended. */
const takingAway: readonly DocumentKind[] = ['organization', 'endUser'];
const others: readonly DocumentKind[] = ['environment', 'content', 'apiClient', 'licenseProfile'];

/** What is written, in this order: first whatever takes something away. */
const passes: readonly { kinds: readonly DocumentKind[]; rewritten: Rewritten }[] = [
  { kinds: takingAway, rewritten: { tombstones: true, documents: true } },
  { kinds: others, rewritten: { tombstones: true, documents: false } },
  { kinds: others, rewritten: { tombstones: false, documents: true } },
];

/**
 * Writes again what Redis lost because it was started from an older copy of its data, or because a replica without the latest writes was
 * promoted. Its mark shows that (`PublicationMark`), and PostgreSQL knows which records were published with a higher one, so the time
 * depends on what was lost. Then raises the mark; until then playback serves nothing. Any number of instances may run at the same time.
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
    const { prisma, completeness } = this.options;
    const lost = Prisma.sql`mark > ${after} AND mark <= ${last}`;
    for (const { kinds, rewritten } of passes) {
      for await (const page of publishedPages(prisma, kinds, lost, pageSize, selectedAtOnce)) {
        if (isStopped()) return false;
        const failed = await rewriteRecords(this.options, page, rewritten);
        // A blocked viewer whose document cannot be written must not be able to play. The refill tries again.
        if (page.kind === 'endUser' && failed.length > 0) {
          await completeness.withdraw(await projectsOfEndUsers(prisma, failed));
        }
      }
    }
    return true;
  }
}
