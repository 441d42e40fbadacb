import type { RedisClient } from '@multi-drm/service-kit';
import type { Completeness } from './completeness';
import { LostDocuments } from './lost-documents';
import { LostPublications, type LostPublicationsOptions } from './lost-publications';
import { isOutage } from './outage';
import { Pause } from './pause';
import type { PublicationMark } from './publication-mark';
import { Refill, type RefillOptions } from './refill';

interface RepairOptions extends RefillOptions, LostPublicationsOptions {
  redis: RedisClient;
  completeness: Completeness;
  mark: PublicationMark;
  /** Called when there is something to publish: lost documents were found, or waiting ones no longer have to wait. */
  onWork: () => void;
}

/** How often to check whether Redis was emptied. */
const lookMilliseconds = 250;
/** How often to compare documents with the database. */
const comparisonMilliseconds = 1_000;

/**
 * Keeps the documents in Redis complete for as long as it runs: writes lost publications again, refills incomplete
 * projects, and has lost documents published again. Runs beside the publishing of changes, so that these do not wait for it.
 */
export class Repair {
  private readonly publications: LostPublications;
  private readonly refill: Refill;
  private readonly lost: LostDocuments;
  private readonly pause = new Pause();
  private running: Promise<void> | undefined;
  private stopped = false;
  private refilling = false;
  private nextComparison = 0;
  /** Whether an error other than an outage was logged. */
  private fails = false;

  constructor(private readonly options: RepairOptions) {
    this.publications = new LostPublications(options);
    this.refill = new Refill(options);
    this.lost = new LostDocuments(options);
  }

  /** Whether projects are being refilled. */
  get isRefilling(): boolean {
    return this.refilling;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves once the current step is done. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.pause.end();
    await this.running;
  }

  /** Reports that anything may be lost, such as after a reconnect: checks everything, at once. */
  suspectAll(): void {
    this.refill.suspectAll();
    this.lost.suspectAll();
    this.nextComparison = 0;
    this.pause.end();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const unfinished = this.options.redis.status === 'ready' && (await this.tryStep());
      if (!unfinished && !this.stopped) await this.pause.wait(lookMilliseconds);
    }
  }

  private async tryStep(): Promise<boolean> {
    try {
      const unfinished = await this.step();
      this.fails = false;
      return unfinished;
    } catch (error) {
      // Outages are logged by the publisher and by the client itself.
      if (!isOutage(error) && !this.fails) {
        this.options.logger.error('published documents cannot be compared', { error });
        this.fails = true;
      }
      return false;
    }
  }

  /** Resolves to whether the next step should follow at once. */
  private async step(): Promise<boolean> {
    await this.publications.restore(() => this.stopped);
    const wasRefilling = this.refilling;
    this.refilling = await this.refill.next();
    if (this.refilling) return true;
    if (wasRefilling) this.options.onWork();
    const time = this.options.now().getTime();
    if (time < this.nextComparison) return false;
    this.nextComparison = time + comparisonMilliseconds;
    const { found, unfinished } = await this.lost.checkNext();
    if (unfinished) this.nextComparison = 0;
    if (found > 0) this.options.onWork();
    return unfinished;
  }
}
