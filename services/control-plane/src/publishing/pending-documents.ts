import type { Logger } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { backOffMilliseconds } from './back-off';
import { beginning, type ChangedDocument, changedDocuments } from './changed-documents';
import { RedisFull } from './document-writer';
import { type OnNewEnvironment, type PublishingStore, publishDocuments } from './publish-documents';

const pageSize = 100;
// Records that are published together. Few, because new changes wait for them: for a tenth of a second or so.
const bulkPageSize = 200;
const environmentsAtOnce = 50;

interface PendingDocumentsOptions extends PublishingStore {
  prisma: Database;
  logger: Logger;
  /** When documents are published. */
  now: () => Date;
  /** Milliseconds of a clock that is never set, for pauses. Default: that of the process. */
  monotonicNow?: () => number;
  /** A number from 0 up to 1. */
  random: () => number;
  /** Documents of one kind published at once; each holds a connection to PostgreSQL. */
  concurrency?: number;
  /**
   * Called for each document that an attempt is done with: published, or left to another instance that is publishing
   * it.
   */
  onTried?: (document: ChangedDocument) => void;
  onNewEnvironment?: OnNewEnvironment;
  /** Whether bulk entries may be published now. */
  mayPublishBulk?: () => boolean;
}

/** Interval between log lines about documents that wait for room in Redis. */
const fullLogMilliseconds = 60_000;

interface Failure {
  count: number;
  /** By the clock that is never set. */
  retryAt: number;
}

/** The documents with unpublished changes. */
export class PendingDocuments {
  /** Documents that failed for reasons of their own, by kind and id; each is retried after its own delay. */
  private readonly failures = new Map<string, Failure>();

  /** Documents that a request is waiting for. */
  private readonly urgent: ChangedDocument[] = [];

  /** When to log next that Redis is full. */
  private nextFullLog = Number.NEGATIVE_INFINITY;

  private readonly monotonicNow: () => number;

  constructor(private readonly options: PendingDocumentsOptions) {
    this.monotonicNow = options.monotonicNow ?? (() => performance.now());
  }

  /** Publishes these documents before all others, now and with the next call of `publish`. */
  hurry(documents: ChangedDocument[]): void {
    this.urgent.push(...documents);
    // They have changed, so the reason for an earlier failure may be gone.
    for (const document of documents) {
      const failure = this.failures.get(nameOf(document));
      if (failure !== undefined) failure.retryAt = Number.NEGATIVE_INFINITY;
    }
  }

  /**
   * Publishes the pending documents; starts no more once `isStopped` returns true. Bulk entries come page by page,
   * after all individual changes. A document that cannot be published, or has no room in a full Redis, is logged, keeps
   * its outbox entries and does not hold up others; an outage rejects.
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
      await this.publishBulkPage(
        page.filter(({ documentKind }) => documentKind !== 'environment'),
        isStopped,
      );
      await this.publishOwnChanges(isStopped);
    }
    // Last, because a new environment waits for the end users of its project.
    while (environments.length > 0 && !isStopped()) {
      if (this.options.mayPublishBulk?.() === false) return;
      await this.publishPage(environments.splice(0, environmentsAtOnce), isStopped);
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

  /** Publishes a page kind by kind: the records of a kind together, and one by one those that failed before. */
  private async publishBulkPage(page: ChangedDocument[], isStopped: () => boolean): Promise<void> {
    for (const kind of new Set(page.map(({ documentKind }) => documentKind))) {
      if (isStopped()) return;
      const ofKind = page.filter(({ documentKind }) => documentKind === kind);
      const failedBefore = ofKind.filter((document) => this.failures.has(nameOf(document)));
      const others = ofKind.filter((document) => !failedBefore.includes(document));
      await this.publishTogether(
        kind,
        others.map(({ documentId }) => documentId),
      );
      await this.publishAll(failedBefore, isStopped);
    }
  }

  /** Publishes a page kind by kind, so that parents come before their children; several documents of a kind at once. */
  private async publishPage(page: ChangedDocument[], isStopped: () => boolean): Promise<void> {
    for (const kind of new Set(page.map(({ documentKind }) => documentKind))) {
      await this.publishAll(
        page.filter(({ documentKind }) => documentKind === kind),
        isStopped,
      );
    }
  }

  /** Publishes these documents and, before each of them, those that became urgent meanwhile. */
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
    const failure = this.failures.get(nameOf(document));
    if (failure !== undefined && this.monotonicNow() < failure.retryAt) return;
    await this.publishTogether(document.documentKind, [document.documentId]);
  }

  private async publishTogether(documentKind: DocumentKind, ids: string[]): Promise<void> {
    const failed = await publishDocuments(this.options, documentKind, ids);
    for (const documentId of ids) {
      const document = { documentKind, documentId };
      if (failed.has(documentId)) this.failedWith(nameOf(document), failed.get(documentId));
      else {
        this.failures.delete(nameOf(document));
        this.options.onTried?.(document);
      }
    }
  }

  private failedWith(document: string, error: unknown): void {
    const { logger, random } = this.options;
    const count = (this.failures.get(document)?.count ?? 0) + 1;
    this.failures.set(document, { count, retryAt: this.monotonicNow() + backOffMilliseconds(count, random) });
    if (error instanceof RedisFull) this.tellOfFull(document);
    else if (count === 1) logger.error('a document cannot be published', { document, error });
  }

  /** Logged once a minute: very many documents may wait. */
  private tellOfFull(document: string): void {
    const time = this.monotonicNow();
    if (time < this.nextFullLog) return;
    this.nextFullLog = time + fullLogMilliseconds;
    this.options.logger.error('Redis is full: new documents are not published', { document });
  }
}

const nameOf = ({ documentKind, documentId }: ChangedDocument): string => `${documentKind} ${documentId}`;
