import type { Logger } from '@multi-drm/service-kit';
import { isDatabaseUnavailable } from '../database/database-unavailable';
import type { PrismaClient } from '../generated/prisma/client';
import { backOffMilliseconds } from './back-off';
import { beginning, changedDocuments } from './changed-documents';
import { type DocumentWriter, RedisFull, RedisUnavailable } from './document-writer';
import { type ChangedDocument, type OnNewEnvironment, publishDocument } from './publish-document';

const pageSize = 100;
// Short, because what changes meanwhile waits for it.
const bulkPageSize = 50;

interface PendingDocumentsOptions {
  prisma: PrismaClient;
  write: DocumentWriter;
  logger: Logger;
  now: () => Date;
  /** A number from 0 up to 1. */
  random: () => number;
  /** How many documents of one kind are published at once: each holds a connection to PostgreSQL. */
  concurrency?: number;
  /** Told of each document that an attempt is done with: published, or left to another instance that is at it. */
  onTried?: (document: ChangedDocument) => void;
  onNewEnvironment?: OnNewEnvironment;
  /** Whether what was marked among very many may be published now. */
  mayPublishBulk?: () => boolean;
}

/** Between two log lines about documents that wait for room in Redis. */
const fullLogMilliseconds = 60_000;

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

  /** Documents that somebody waits for. */
  private readonly urgent: ChangedDocument[] = [];

  /** When the next log line about a full Redis is due; milliseconds since 1970. */
  private nextFullLog = 0;

  constructor(private readonly options: PendingDocumentsOptions) {}

  /** Puts documents before all that is left to publish, now and when `publish` is called next. */
  hurry(documents: ChangedDocument[]): void {
    this.urgent.push(...documents);
    // They have changed: what kept them from being published may not any more.
    for (const document of documents) {
      const failure = this.failures.get(nameOf(document));
      if (failure !== undefined) failure.retryAt = 0;
    }
  }

  /**
   * Publishes them; begins with no more once `isStopped` says so. What was marked among very many comes page by page,
   * behind all that has changed by itself. A document that cannot be published, or has no room in a full Redis, is logged
   * and keeps its marks, and does not hold up the others; an outage rejects.
   */
  async publish(isStopped: () => boolean = () => false): Promise<void> {
    const environments: ChangedDocument[] = [];
    await this.publishAll([], isStopped);
    await this.publishOwnChanges(isStopped);
    for (let last: ChangedDocument | undefined = beginning; last !== undefined && !isStopped(); ) {
      const page: ChangedDocument[] = await changedDocuments(this.options.prisma, true, last, bulkPageSize);
      last = page.at(-1);
      if (this.options.mayPublishBulk?.() === false) return;
      environments.push(...page.filter(({ documentKind }) => documentKind === 'environment'));
      await this.publishPage(
        page.filter(({ documentKind }) => documentKind !== 'environment'),
        isStopped,
      );
      await this.publishOwnChanges(isStopped);
    }
    // Last, because one that is not there yet waits for the end users of its project.
    while (environments.length > 0 && !isStopped()) {
      if (this.options.mayPublishBulk?.() === false) return;
      await this.publishPage(environments.splice(0, bulkPageSize), isStopped);
      await this.publishOwnChanges(isStopped);
    }
  }

  private async publishOwnChanges(isStopped: () => boolean): Promise<void> {
    let last: ChangedDocument | undefined = beginning;
    while (last !== undefined) {
      const page: ChangedDocument[] = await changedDocuments(this.options.prisma, false, last, pageSize);
      await this.publishPage(page, isStopped);
      last = isStopped() ? undefined : page.at(-1);
    }
  }

  /** Publishes a page kind by kind, so that nothing precedes what it belongs to; several documents of a kind at once. */
  private async publishPage(page: ChangedDocument[], isStopped: () => boolean): Promise<void> {
    for (const kind of new Set(page.map(({ documentKind }) => documentKind))) {
      await this.publishAll(
        page.filter(({ documentKind }) => documentKind === kind),
        isStopped,
      );
    }
  }

  /** Publishes these, and before each of them what became urgent meanwhile. */
  private async publishAll(waiting: ChangedDocument[], isStopped: () => boolean): Promise<void> {
    const { concurrency = 4 } = this.options;
    const take = () => this.urgent.shift() ?? waiting.shift();
    let failed = false;
    const publishNext = async (): Promise<void> => {
      while (!failed && !isStopped()) {
        const next = take();
        if (next === undefined) return;
        await this.publishOne(next).catch((error: unknown) => {
          failed = true;
          throw error;
        });
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, publishNext));
    const outage = outcomes.find(({ status }) => status === 'rejected');
    if (outage !== undefined) throw (outage as PromiseRejectedResult).reason;
  }

  private async publishOne(document: ChangedDocument): Promise<void> {
    const { prisma, write, logger, now, random, onTried, onNewEnvironment } = this.options;
    const name = nameOf(document);
    const failure = this.failures.get(name);
    if (failure !== undefined && now().getTime() < failure.retryAt) return;
    try {
      await publishDocument(prisma, write, document, now, onNewEnvironment);
      this.failures.delete(name);
      onTried?.(document);
    } catch (error) {
      if (isOutage(error)) throw error;
      const count = (failure?.count ?? 0) + 1;
      this.failures.set(name, { count, retryAt: now().getTime() + backOffMilliseconds(count, random) });
      if (error instanceof RedisFull) this.tellOfFull(name);
      else if (count === 1) logger.error('a document cannot be published', { document: name, error });
    }
  }

  /** Says it once a minute: very many documents may wait. */
  private tellOfFull(document: string): void {
    const time = this.options.now().getTime();
    if (time < this.nextFullLog) return;
    this.nextFullLog = time + fullLogMilliseconds;
    this.options.logger.error('Redis is full: what is new is not published', { document });
  }
}

const nameOf = ({ documentKind, documentId }: ChangedDocument): string => `${documentKind} ${documentId}`;
