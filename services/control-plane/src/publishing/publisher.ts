import { randomUUID } from 'node:crypto';
import type { Logger } from '@multi-drm/service-kit';
import type { Redis } from 'ioredis';
import type { PrismaClient } from '../generated/prisma/client';
import { backOffMilliseconds } from './back-off';
import { Completeness } from './completeness';
import { createDocumentWriter } from './document-writer';
import { Pause } from './pause';
import { isOutage, PendingDocuments } from './pending-documents';
import { newProjectOf } from './project-records';
import { PublicationWait } from './publication-wait';
import type { ChangedDocument, OnNewEnvironment } from './publish-document';
import { Repair } from './repair';

/** Longest pause between two attempts during an outage: a silent Redis does not say when it answers again. */
const longestBackOffMilliseconds = 500;
/** Shortest one, however often changes wake the publisher. */
const shortestBackOffMilliseconds = 100;

interface PublisherOptions {
  prisma: PrismaClient;
  /** A client of `createRedisClient`; whoever made it closes it, after `stop()`. */
  redis: Redis;
  logger: Logger;
  /** How often to look for changes of other instances, and for ones left behind. */
  pollMilliseconds?: number;
  /** How long `whenPublished` waits at most. */
  mostWaitMilliseconds?: number;
  now?: () => Date;
  /** A number from 0 up to 1. */
  random?: () => number;
}

/**
 * Publishes to Redis what has changed in the database, for as long as it runs. Any number of instances may run at once.
 * Nothing that was committed is lost: a change is marked until it has been published, whatever fails meanwhile.
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
  /** Whether the next attempt follows the present one without a pause. */
  private atOnce = false;
  /** Attempts in a row that an outage cut short. */
  private failures = 0;
  private readonly pause = new Pause();

  constructor(private readonly options: PublisherOptions) {
    const { prisma, redis, logger, now = () => new Date(), random = Math.random } = options;
    this.pollMilliseconds = options.pollMilliseconds ?? 250;
    this.random = random;
    this.waits = new PublicationWait({ prisma, logger, mostMilliseconds: options.mostWaitMilliseconds ?? 500 });
    const write = createDocumentWriter(redis);
    this.completeness = new Completeness(redis, randomUUID);
    this.pending = new PendingDocuments({
      prisma,
      write,
      logger,
      now,
      random,
      onTried: (document) => this.waits.tried(document),
      onNewEnvironment: this.completeNewProject,
      mayPublishBulk: () => !this.repair.isRestoring,
    });
    this.repair = new Repair({
      prisma,
      redis,
      write,
      logger,
      now,
      completeness: this.completeness,
      onWork: this.tryAgain,
    });
  }

  start(): void {
    this.options.redis.on('ready', this.connected);
    this.running ??= this.run();
    this.repair.start();
  }

  /** Resolves once the document under way is done; what is left stays marked, for the next start or another instance. */
  async stop(): Promise<void> {
    this.options.redis.off('ready', this.connected);
    this.stopped = true;
    this.pause.end();
    await Promise.all([this.running, this.repair.stop()]);
  }

  /**
   * Says that a change has been committed: it is published at once. During an outage it has the next attempt come sooner,
   * but not at once: what fails is not tried over and over.
   */
  wake(): void {
    if (this.failures === 0) this.tryAgain();
    else this.pause.shorten();
  }

  /**
   * Publishes committed changes before others, and resolves once they are in Redis, whichever instance has brought them
   * there: after half a second at most. An outage that is known is not waited for. Never rejects.
   */
  async whenPublished(documents: ChangedDocument[]): Promise<void> {
    if (documents.length === 0) return;
    if (this.failures > 0) {
      this.wake();
      return;
    }
    this.pending.hurry(documents);
    this.wake();
    await this.waits.until(documents);
  }

  /** Redis is back, maybe not with all that it held. */
  private readonly connected = (): void => {
    this.repair.suspectAll();
    this.tryAgain();
  };

  /** Redis is back, or there is something new: no more waiting. */
  private readonly tryAgain = (): void => {
    this.atOnce = true;
    this.pause.end();
  };

  /** A project that has nothing but environments is complete, so that it can be used with the next request. */
  private readonly completeNewProject: OnNewEnvironment = async (transaction, environmentId) => {
    const projectId = await newProjectOf(transaction, environmentId);
    if (projectId === null) return;
    const deployment = await this.completeness.read();
    // Until everything is listed, its organization may be missing: then it is restored like any other.
    if (deployment?.published === 'all') await this.completeness.complete([projectId], deployment.generation);
  };

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.atOnce = false;
      const pause = await this.publishPending();
      if (!this.atOnce && !this.stopped) await this.pause.wait(pause, shortestBackOffMilliseconds);
    }
  }

  /** Publishes all there is; resolves to the pause until the next attempt, in milliseconds. */
  private async publishPending(): Promise<number> {
    const { logger } = this.options;
    try {
      await this.pending.publish(() => this.stopped);
      if (this.failures > 0) logger.info('publishing goes on');
      this.failures = 0;
      return this.pollMilliseconds;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        if (isOutage(error)) logger.warn('publishing is held up', { error });
        else logger.error('publishing fails', { error });
      }
      return backOffMilliseconds(this.failures, this.random, longestBackOffMilliseconds);
    }
  }
}
