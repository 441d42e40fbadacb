import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import { Prisma } from '../generated/prisma/client';
import type { ChangedDocument } from './changed-documents';

interface PublicationWaitOptions {
  prisma: Database;
  logger: Logger;
  /** Maximum time that a response is delayed. */
  maximumMilliseconds: number;
}

/** The first pause between two checks; each is twice as long as the one before. */
const firstPauseMilliseconds = 10;

/**
 * Waits until committed changes are published by any instance: this instance's publisher reports each attempt, and the
 * database, polled now and then, covers the others. Holds no connection between polls.
 */
export class PublicationWait {
  /** Waiting requests by document. */
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly options: PublicationWaitOptions) {}

  /**
   * Resolves when the documents have no outbox entries any more, or the time is over. Never rejects: the changes are
   * committed.
   */
  async until(documents: ChangedDocument[]): Promise<void> {
    const over = AbortSignal.timeout(this.options.maximumMilliseconds);
    const timeIsOver = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
    // Also if the database does not answer in time.
    await Promise.race([this.look(documents, over), timeIsOver]);
  }

  /** Reports that this instance has finished an attempt to publish a document. */
  tried(document: ChangedDocument): void {
    for (const lookNow of this.waiting.get(nameOf(document)) ?? []) lookNow();
  }

  private async look(documents: ChangedDocument[], over: AbortSignal): Promise<void> {
    try {
      let milliseconds = firstPauseMilliseconds;
      do {
        await this.untilTriedOrAfter(documents, milliseconds, over);
        milliseconds *= 2;
      } while (!over.aborted && (await this.arePending(documents)));
    } catch (error) {
      this.options.logger.debug('cannot check whether a change is published', { error });
    }
  }

  private async untilTriedOrAfter(
    documents: ChangedDocument[],
    milliseconds: number,
    over: AbortSignal,
  ): Promise<void> {
    const ended = new AbortController();
    const lookNow = () => ended.abort();
    const names = documents.map(nameOf);
    for (const name of names) this.waiting.set(name, (this.waiting.get(name) ?? new Set()).add(lookNow));
    await pause(milliseconds, undefined, { signal: AbortSignal.any([ended.signal, over]) }).catch(() => undefined);
    for (const name of names) {
      const waiting = this.waiting.get(name);
      waiting?.delete(lookNow);
      if (waiting?.size === 0) this.waiting.delete(name);
    }
  }

  /** Bulk entries are not waited for: they are published after all others. */
  private async arePending(documents: ChangedDocument[]): Promise<boolean> {
    const rows = documents.map(
      ({ documentKind, documentId }) => Prisma.sql`(${documentKind}::document_kind, ${documentId}::uuid)`,
    );
    const found = await this.options.prisma.$queryRaw<unknown[]>`
      SELECT 1 FROM outbox_entry
      WHERE NOT bulk AND (document_kind, document_id) IN (${Prisma.join(rows)}) LIMIT 1`;
    return found.length > 0;
  }
}

const nameOf = ({ documentKind, documentId }: ChangedDocument): string => `${documentKind} ${documentId}`;
