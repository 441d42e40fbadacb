import type { Logger } from '@multi-drm/service-kit';
import type { Pool } from 'pg';
import { createEventPool } from '../events/event-pool';
import { Pause } from '../publishing/pause';
import { UsageClosings } from './closings';
import { removeOldUsage } from './usage-retention';
import { UsageRollUp } from './usage-roll-up';

const second = 1_000;

/** How long after their events minutes are recomputed: within 15 seconds, with the time that it takes. */
const rollUpMilliseconds = 10 * second;

const hour = 3_600 * second;

interface UsageTaskOptions {
  connectionString: string;
  logger: Logger;
  now: () => Date;
}

/** Everything that a control plane does for usage besides answering calls. Any number of instances may run at once. */
export class UsageTask {
  private readonly pool: Pool;
  private readonly pause = [new Pause(), new Pause(), new Pause()] as const;
  private readonly rollUp: UsageRollUp;
  private readonly closings: UsageClosings;
  private running: Promise<unknown> | undefined;
  private stopped = false;

  constructor(private readonly options: UsageTaskOptions) {
    const { connectionString, logger, now } = options;
    this.pool = createEventPool(connectionString, logger);
    this.rollUp = new UsageRollUp({ pool: this.pool, now });
    this.closings = new UsageClosings({ pool: this.pool, now });
  }

  /** The work runs beside each other, because counting the viewers of a day may take longer than a minute may wait. */
  start(): void {
    const [rollUp, closings, removals] = this.pause;
    this.running ??= Promise.all([
      this.repeat(() => this.rollUp.run(), rollUp, rollUpMilliseconds),
      this.repeat(() => this.closings.run(), closings, rollUpMilliseconds),
      this.repeat(() => removeOldUsage(this.pool, this.options.now()), removals, hour),
    ]);
  }

  /** Recomputes what has changed until now, unless another instance does. */
  async rollUpNow(): Promise<void> {
    await this.rollUp.run();
  }

  /** Resolves when what is under way is done. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const pause of this.pause) pause.end();
    await this.running;
    await this.pool.end();
  }

  private async repeat(work: () => Promise<void>, pause: Pause, milliseconds: number): Promise<void> {
    while (!this.stopped) {
      try {
        await work();
      } catch (error) {
        this.options.logger.warn('usage cannot be computed at the moment', { error });
      }
      if (!this.stopped) await pause.wait(milliseconds);
    }
  }
}
