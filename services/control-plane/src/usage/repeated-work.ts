import type { Logger } from '@multi-drm/service-kit';
import { isDatabaseUnavailable } from '../database/database-unavailable';
import { backOffMilliseconds } from '../publishing/back-off';
import { Pause } from '../publishing/pause';

interface RepeatedWorkOptions {
  /** For the log, such as `computing usage`. */
  name: string;
  work: () => Promise<void>;
  /** Between the end of one time and the beginning of the next. */
  milliseconds: number;
  logger: Logger;
}

/** Work that is done again and again. After a failure, it is tried again sooner. */
export class RepeatedWork {
  private readonly pause = new Pause();
  private running: Promise<void> | undefined;
  private stopped = false;
  /** Consecutive times that failed. */
  private failures = 0;

  constructor(private readonly options: RepeatedWorkOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves when what is under way is done. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.pause.end();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const milliseconds = await this.tryOnce();
      if (!this.stopped) await this.pause.wait(milliseconds);
    }
  }

  /** Resolves to the pause until the next time. */
  private async tryOnce(): Promise<number> {
    const { name, work, milliseconds, logger } = this.options;
    try {
      await work();
      if (this.failures > 0) logger.info(`${name} has resumed`);
      this.failures = 0;
      return milliseconds;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        // Of an outage, those who store events warn.
        if (isDatabaseUnavailable(error)) logger.info(`${name} is interrupted`, { error });
        else logger.error(`${name} fails`, { error });
      }
      return backOffMilliseconds(this.failures, Math.random, milliseconds);
    }
  }
}
