import type { Logger } from './logger';

/** Milliseconds between two warnings: in a cluster, replies come from machines whose clocks may differ. */
const warningInterval = 60_000;

interface ClockStepsOptions {
  /** Whose clock it is, for the log. */
  clock: string;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds of a clock that is never set. */
  monotonicNow: () => number;
  count?: (() => void) | undefined;
}

/** Returns what to call with the milliseconds of each step of a clock: counts it, and warns of it once a minute. */
export function noteClockSteps({
  clock,
  logger,
  monotonicNow,
  count,
}: ClockStepsOptions): (milliseconds: number) => void {
  let nextWarning = Number.NEGATIVE_INFINITY;
  return (milliseconds) => {
    count?.();
    if (monotonicNow() < nextWarning) return;
    nextWarning = monotonicNow() + warningInterval;
    logger.warn('a clock was set', { clock, seconds: Math.round(milliseconds / 100) / 10 });
  };
}

interface WatchedClockOptions {
  /** Milliseconds since 1970. */
  wallNow: () => number;
  /** Milliseconds of a clock that is never set. */
  monotonicNow: () => number;
  /** Called with the milliseconds of each step of over a second. */
  onStep: (milliseconds: number) => void;
}

/** Milliseconds. */
const leastStep = 1_000;

/** A clock that reports when it was set. It notices that when it is read. */
export function watchedClock({ wallNow, monotonicNow, onStep }: WatchedClockOptions): () => Date {
  let offset: number | undefined;
  return () => {
    const before = monotonicNow();
    const time = wallNow();
    // Held up between the two, the process would see a step.
    if (monotonicNow() - before < leastStep) {
      const step = time - before - (offset ?? time - before);
      if (Math.abs(step) > leastStep) onStep(step);
      offset = time - before;
    }
    return new Date(time);
  };
}
