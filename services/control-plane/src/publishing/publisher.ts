import { randomUUID } from 'node:crypto';
import type { HashKeySeal, Logger, RedisClient } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import { backOffMilliseconds } from './back-off';
import type { ChangedDocument } from './changed-documents';
import { Completeness } from './completeness';
import { createDocumentWriter } from './document-writer';
import { isOutage } from './outage';
import { Pause } from './pause';
import { PendingDocuments } from './pending-documents';
import { newProjectOf } from './project-records';
import { PublicationMark } from './publication-mark';
import { PublicationWait } from './publication-wait';
import type { OnNewEnvironment } from './publish-documents';
import { Repair } from './repair';
import { readSubjectHashKey } from './subject-hash-key';

/** Longest pause between two attempts during an outage: an unresponsive Redis does not announce its return. */
const longestBackOffMilliseconds = 500;
/** Shortest pause, however often changes wake the publisher. */
const shortestBackOffMilliseconds = 100;

interface PublisherOptions {
  prisma: Database;
  /** A client of `createRedisClient`; its creator closes it after `stop()`. */
  redis: RedisClient;
  logger: Logger;
  /** Seals the key of the viewers' buckets in Redis; absent: it is in the clear. */
  hashKeySeal?: HashKeySeal;
  /** Called before Redis is filled from the beginning. Never rejects. */
  onNewGeneration?: () => Promise<void>;
  /** How often to look for changes of other instances and for leftover entries. */
  pollMilliseconds?: number;
  /** Maximum time that `whenPublished` waits. */
  maximumWaitMilliseconds?: number;
  now?: () => Date;
  /** A number from 0 up to 1. */
  random?: () => number;
}

/**
 * Publishes database changes to Redis for as long as it runs. Any number of instances may run at the same time. No committed
 * change is lost: its outbox entry remains until it is published, whatever fails meanwhile.
 */
export class Publisher {
  private readonly pending: PendingDocuments;
  private readonly completeness: Completeness;
  private readonly repair: Repair;
  private readonly waits: PublicationWait;
  private readonly pollMilliseconds: number;
  private readonly random: () => number;
  private running: Promise<void> | undefined;
  private stopped = false;
  /** Whether the next attempt follows the current one without a pause. */
  private skipsPause = false;
  /** Consecutive attempts cut short by an outage. */
  private failures = 0;
  private readonly pause = new Pause();

  constructor(private readonly options: PublisherOptions) {
    const { prisma, redis, logger, now = () => new Date(), random = Math.random } = options;
    this.pollMilliseconds = options.pollMilliseconds ?? 250;
    this.random = random;
    this.waits = new PublicationWait({ prisma, logger, maximumMilliseconds: options.maximumWaitMilliseconds ?? 2_000 });
    const write = createDocumentWriter(redis);
    const mark = new PublicationMark(redis);
    // A clock that was set back by an hour would delay the next look by an hour.
    const neverSet = () => new Date(performance.now());
    this.completeness = new Completeness(redis, randomUUID, options.hashKeySeal);
    this.pending = new PendingDocuments({
      prisma,
      write,
      mark,
      logger,
      now,
      random,
      onTried: (document) => this.waits.tried(document),
      onNewEnvironment: this.completeNewProject,
      mayPublishBulk: () => !this.repair.isRefilling,
    });
    this.repair = new Repair({
      prisma,
      redis,
      write,
      mark,
      logger,
      now: neverSet,
      completeness: this.completeness,
      hashKeySeal: options.hashKeySeal,
      onNewGeneration: options.onNewGeneration,
      onWork: this.tryAgain,
    });
  }

  start(): void {
    this.options.redis.on('ready', this.connected);
    this.running ??= this.run();
    this.repair.start();
  }

  /** Resolves once the current document is done; outbox entries remain for the next start or another instance. */
  async stop(): Promise<void> {
    this.options.redis.off('ready', this.connected);
    this.stopped = true;
    this.pause.end();
    await Promise.all([this.running, this.repair.stop()]);
  }

  /**
   * Reports a committed change, which is published at once. During an outage, the next attempt comes sooner but not at
   * once, so that failures do not repeat in a tight loop.
   */
  wake(): void {
    if (this.failures === 0) this.tryAgain();
    else this.pause.shorten();
  }

  /**
   * Publishes committed changes before others, and resolves once they are in Redis, whichever instance published them:
   * after two seconds at most. Does not wait during a known outage. Never rejects.
   */
  async whenPublished(documents: ChangedDocument[]): Promise<void> {
    if (documents.length === 0) return;
    if (this.failures > 0) {
      this.wake();
      return;
    }
    this.pending.prioritize(documents);
    this.wake();
    await this.waits.until(documents);
  }

  /** Redis is back, possibly with data missing. */
  private readonly connected = (): void => {
    this.repair.suspectAll();
    this.tryAgain();
  };

  /** Redis is back, or there is something new: end the pause. */
  private readonly tryAgain = (): void => {
    this.skipsPause = true;
    this.pause.end();
  };

  /** A project with only environments is complete, so that it can be used with the next request. */
  private readonly completeNewProject: OnNewEnvironment = async (transaction, environmentId) => {
    const projectId = await newProjectOf(transaction, environmentId);
    if (projectId === null) return;
    const deployment = await this.completeness.read(await readSubjectHashKey(transaction));
    // Until all projects are listed, its organization may be missing: then it is refilled like any other.
    if (deployment?.published === 'all') await this.completeness.complete([projectId], deployment.generation);
  };

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.skipsPause = false;
      const pause = await this.publishPending();
      if (!this.skipsPause && !this.stopped) await this.pause.wait(pause, shortestBackOffMilliseconds);
    }
  }

  /** Publishes everything pending; resolves to the pause until the next attempt, in milliseconds. */
  private async publishPending(): Promise<number> {
    const { logger } = this.options;
    try {
      await this.pending.publish(() => this.stopped);
      if (this.failures > 0) logger.info('publishing has resumed');
      this.failures = 0;
      return this.pollMilliseconds;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        if (isOutage(error)) logger.warn('publishing is interrupted', { error });
        else logger.error('publishing fails', { error });
      }
      return backOffMilliseconds(this.failures, this.random, longestBackOffMilliseconds);
    }
  }
}
