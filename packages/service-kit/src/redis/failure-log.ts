import type { Logger } from '../logger';
import { isRedisUnavailable } from './redis-errors';

/** Milliseconds between two logged errors. */
const errorInterval = 60_000;

/**
 * Logs failures of work in Redis that is repeated anyway. A failure because of an outage is logged at `debug`, since the outage itself is
 * logged elsewhere. Any other failure is logged as an error, at most once a minute.
 */
export class FailureLog {
  private nextError = Number.NEGATIVE_INFINITY;

  /** `processNow`: monotonic milliseconds. */
  constructor(private readonly options: { logger: Logger; processNow: () => number }) {}

  /** `message`: what cannot be done, such as "expired sessions cannot be removed". */
  note(message: string, error: unknown): void {
    const { logger, processNow } = this.options;
    if (isRedisUnavailable(error)) {
      logger.debug(`${message} at the moment`, { error });
    } else if (processNow() >= this.nextError) {
      this.nextError = processNow() + errorInterval;
      logger.error(message, { error });
    }
  }
}
