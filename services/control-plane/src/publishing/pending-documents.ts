import type { Logger } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { backOffMilliseconds } from './back-off';
import { beginning, type ChangedDocument, changedDocuments } from './changed-documents';
import { RedisFull } from './document-writer';
import { type OnNewEnvironment, type PublishingStore, publishDocuments } from './publish-documents';

// Records that are published together. Few, because new changes wait for them: for a tenth of a second or so.
const pageSize = 50;
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
  private urgent: ChangedDocument[] = [];

  /** When to log next that Redis is full. */
  private nextFullLog = Number.NEGATIVE_INFINITY;

  private readonly monotonicNow: () => number;

  constructor(private readonly options: PendingDocumentsOptions) {
    this.monotonicNow = options.monotonicNow ?? (() => performance.now());
  }

  /** Publishes these documents before all others, now and with the next call of `publish`. */
  prioritize(documents: ChangedDocument[]): void {
    this.urgent.push(...documents);
    // They have changed, so the reason for an earlier failure may be gone.
    for (const document of documents) {
      const failure = this.failures.get(nameOf(document));
      if (failure !== undefined) failure.retryAt = Number.NEGATIVE_INFINITY;
    }
  }

  /**
   * Publishes the pending documents page by page; starts no more once `isStopped` returns true. Bulk entries come
   * after all individual changes. A document that cannot be published, or has no room in a full Redis, is logged, keeps
   * its outbox entries and does not hold up others; an outage rejects.
   */
  async publish(isStopped: () => boolean = () => false): Promise<void> {
    const environments: ChangedDocument[] = [];
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
    // Last, because a new environment waits for the end users of its project.
    while (environments.length > 0 && !isStopped()) {
      if (this.options.mayPublishBulk?.() === false) return;
      await this.publishPage(environments.splice(0, environmentsAtOnce), isStopped);
      await this.publishOwnChanges(isStopped);
    }
  }

  private async publishOwnChanges(isStopped: () => boolean): Promise<void> {
    await this.publishPage([], isStopped);
    let last: ChangedDocument | undefined = beginning;
    while (last !== undefined) {
      const page: ChangedDocument[] = await changedDocuments(this.options.prisma, false, last, pageSize);
      await this.publishPage(page, isStopped);
      last = isStopped() ? undefined : page.at(-1);
    }
  }

  /**
   * Publishes a page kind by kind, so that parents come before their children: the records of a kind together. Those that have become
   * urgent meanwhile come first.
   */
  private async publishPage(page: ChangedDocument[], isStopped: () => boolean): Promise<void> {
    let left = page;
    while (!isStopped()) {
      const isUrgent = this.urgent.length > 0;
      const documents = isUrgent ? this.urgent : left;
      const [next] = documents;
      if (next === undefined) return;
      const isOfKind = ({ documentKind }: ChangedDocument) => documentKind === next.documentKind;
      const others = documents.filter((document) => !isOfKind(document));
      if (isUrgent) this.urgent = others;
      else left = others;
      await this.publishTogether(documents.filter(isOfKind), next.documentKind);
    }
  }

  /** Publishes records of a kind, except those that failed shortly before. */
  private async publishTogether(documents: ChangedDocument[], documentKind: DocumentKind): Promise<void> {
    const time = this.monotonicNow();
    const due = documents.filter((document) => (this.failures.get(nameOf(document))?.retryAt ?? time) <= time);
    const ids = new Set(due.map(({ documentId }) => documentId));
    const failed = await publishDocuments(this.options, documentKind, [...ids]);
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
    if (error instanceof RedisFull) this.logFull(document);
    else if (count === 1) logger.error('a document cannot be published', { document, error });
  }

  /** Logged once a minute: very many documents may wait. */
  private logFull(document: string): void {
    const time = this.monotonicNow();
    if (time < this.nextFullLog) return;
    this.nextFullLog = time + fullLogMilliseconds;
    this.options.logger.error('Redis is full: new documents are not published', { document });
  }
}

const nameOf = ({ documentKind, documentId }: ChangedDocument): string => `${documentKind} ${documentId}`;
