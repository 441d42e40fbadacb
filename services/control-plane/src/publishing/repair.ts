import type { Redis } from 'ioredis';
import { LostDocuments } from './lost-documents';
import { Pause } from './pause';
import { isOutage } from './pending-documents';
import { Restoration, type RestorationOptions } from './restoration';

interface RepairOptions extends RestorationOptions {
  redis: Redis;
  /** Told when there is something to publish: documents are marked as lost, or those that waited need to wait no more. */
  onWork: () => void;
}

/** How often to look whether Redis was emptied. */
const lookMilliseconds = 250;
/** How often to compare documents with the database. */
const comparisonMilliseconds = 1_000;

/**
 * Keeps whole what Redis holds, for as long as it runs: restores projects that are not complete, and has single documents
 * that are lost published again. It runs beside the publishing of changes, so that these do not wait for it.
 */
export class Repair {
  private readonly restoration: Restoration;
  private readonly lost: LostDocuments;
  private readonly pause = new Pause();
  private running: Promise<void> | undefined;
  private stopped = false;
  private restoring = false;
  private nextComparison = 0;
  /** An error other than an outage was told of. */
  private fails = false;

  constructor(private readonly options: RepairOptions) {
    this.restoration = new Restoration(options);
    this.lost = new LostDocuments(options);
  }

  /** Whether projects are being restored. */
  get isRestoring(): boolean {
    return this.restoring;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves once the step under way is done. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.pause.end();
    await this.running;
  }

  /** Says that anything may be lost, such as after a connection: looks at everything, at once. */
  suspectAll(): void {
    this.restoration.suspectAll();
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
      // An outage is told of by whoever has something to publish, and by the client itself.
      if (!isOutage(error) && !this.fails) {
        this.options.logger.error('what is published cannot be compared', { error });
        this.fails = true;
      }
      return false;
    }
  }

  /** Resolves to whether the next step is to follow at once. */
  private async step(): Promise<boolean> {
    const wasRestoring = this.restoring;
    this.restoring = await this.restoration.next();
    if (this.restoring) return true;
    if (wasRestoring) this.options.onWork();
    const time = this.options.now().getTime();
    if (time < this.nextComparison) return false;
    this.nextComparison = time + comparisonMilliseconds;
    const { marked, unfinished } = await this.lost.markNext();
    if (unfinished) this.nextComparison = 0;
    if (marked > 0) this.options.onWork();
    return unfinished;
  }
}
