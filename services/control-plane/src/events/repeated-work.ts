import type { Logger } from '@multi-drm/service-kit';
import { backOffMilliseconds } from '../publishing/back-off';
import { Pause } from '../publishing/pause';
import { isOutage } from './part-of-round';

/** What a back-off does not exceed, unless the work is done less often anyway. */
const longestBackOff = 5_000;

interface RepeatedWorkOptions {
  /** For the log, such as `computing usage`. */
  name: string;
  /** May resolve to another number of milliseconds until the next time. */
  work: () => Promise<void> | Promise<number | undefined>;
  /** Between the end of one time and the beginning of the next. */
  milliseconds: number;
  /** Milliseconds before the first time. */
  firstAfter?: number;
  /** How it logs an outage: those that only need what others need as well do not warn. */
  outageLevel?: 'info' | 'warn';
  logger: Logger;
  /** A number from 0 up to 1. */
  random?: () => number;
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
    let milliseconds = this.options.firstAfter ?? 0;
    for (;;) {
      if (milliseconds > 0 && !this.stopped) await this.pause.wait(milliseconds);
      if (this.stopped) return;
      milliseconds = await this.tryOnce();
    }
  }

  /** Resolves to the pause until the next time. */
  private async tryOnce(): Promise<number> {
    const { name, work, milliseconds, logger, outageLevel = 'info', random = Math.random } = this.options;
    try {
      const pause = await work();
      if (this.failures > 0) logger.info(`${name} has resumed`);
      this.failures = 0;
      return typeof pause === 'number' ? pause : milliseconds;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        if (isOutage(error)) logger[outageLevel](`${name} is interrupted`, { error });
        else logger.error(`${name} fails`, { error });
      }
      return backOffMilliseconds(this.failures, random, Math.max(longestBackOff, milliseconds));
    }
  }
}
