import { isRedisUnavailable, type Logger } from '@multi-drm/service-kit';
import { isDatabaseUnavailable } from '../database/database-unavailable';

/** After how long work that has failed is tried again, in milliseconds, unless it is due later. */
const retryMilliseconds = 1_000;

interface PartOfRoundOptions {
  /** What it does, as the log names it. */
  name: string;
  /** It does not run again until this has passed since it last succeeded. */
  milliseconds: number;
  work: () => Promise<unknown>;
  logger: Logger;
  /** Monotonic milliseconds. */
  now: () => number;
}

/** Returns work for each round of the reader of events. It never rejects, so that nothing else waits for it when it fails. */
export function partOfRound({ name, milliseconds, work, logger, now }: PartOfRoundOptions): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  /** How it has failed the last time, if it has. */
  let failure: 'outage' | 'fault' | undefined;
  return async () => {
    const started = now();
    if (started < next) return;
    try {
      await work();
      if (failure === 'fault') logger.info(`${name} has resumed`);
      failure = undefined;
      next = started + milliseconds;
    } catch (error) {
      // The reader says that a store is unavailable, once for everything.
      if (isOutage(error)) {
        failure ??= 'outage';
        logger.debug(`${name} is interrupted`, { error });
      } else {
        if (failure !== 'fault') logger.error(`${name} fails`, { error });
        failure = 'fault';
      }
      next = now() + Math.min(milliseconds, retryMilliseconds);
    }
  };
}

/** Whether an error means that Redis or PostgreSQL is unavailable. */
export function isOutage(error: unknown): boolean {
  return isRedisUnavailable(error) || isDatabaseUnavailable(error);
}
