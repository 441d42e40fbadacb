import type { Logger } from '@multi-drm/service-kit';
import { isDatabaseUnavailable } from '../database/database-unavailable';
import type { PrismaClient } from '../generated/prisma/client';
import { backOffMilliseconds } from './back-off';
import { beginning, changedDocuments } from './changed-documents';
import { type DocumentWriter, RedisUnavailable } from './document-writer';
import { type ChangedDocument, publishDocument } from './publish-document';

const pageSize = 100;

interface PendingDocumentsOptions {
  prisma: PrismaClient;
  write: DocumentWriter;
  logger: Logger;
  now: () => Date;
  /** A number from 0 up to 1. */
  random: () => number;
}

interface Failure {
  count: number;
  /** Milliseconds since 1970. */
  retryAt: number;
}

/** Whether an error says that PostgreSQL or Redis is out of reach, which holds up every document alike. */
export function isOutage(error: unknown): boolean {
  return error instanceof RedisUnavailable || isDatabaseUnavailable(error);
}

/** The documents whose changes are not published yet. */
export class PendingDocuments {
  /** Documents that failed for reasons of their own, by kind and id; each is tried again after a wait of its own. */
  private readonly failures = new Map<string, Failure>();

  constructor(private readonly options: PendingDocumentsOptions) {}

  /**
   * Publishes them, one after the other; ends early once `isStopped` says so. A document that cannot be published is
   * logged and keeps its marks, and does not hold up the others; an outage rejects.
   */
  async publish(isStopped: () => boolean = () => false): Promise<void> {
    let last: ChangedDocument | undefined = beginning;
    while (last !== undefined) {
      const page: ChangedDocument[] = await changedDocuments(this.options.prisma, last, pageSize);
      for (const document of page) {
        if (isStopped()) return;
        await this.publishOne(document);
      }
      last = page.at(-1);
    }
  }

  private async publishOne(document: ChangedDocument): Promise<void> {
    const { prisma, write, logger, now, random } = this.options;
    const name = `${document.documentKind} ${document.documentId}`;
    const failure = this.failures.get(name);
    if (failure !== undefined && now().getTime() < failure.retryAt) return;
    try {
      await publishDocument(prisma, write, document, now);
      this.failures.delete(name);
    } catch (error) {
      if (isOutage(error)) throw error;
      const count = (failure?.count ?? 0) + 1;
      this.failures.set(name, { count, retryAt: now().getTime() + backOffMilliseconds(count, random) });
      if (count === 1) logger.error('a document cannot be published', { document: name, error });
    }
  }
}
