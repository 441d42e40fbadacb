import type { Logger } from './logger';

/** Minimum interval between warnings of the same kind, in milliseconds: an outage must not fill the disk. */
const warningInterval = 10_000;

/** Logs a warning. Those of one kind are throttled together. */
export type ThrottledWarn = (kind: string, message: string, fields: Record<string, unknown>) => void;

/**
 * Returns a function that logs the first warning of a kind and then at most one per interval, with the number that it left out in
 * between as `alsoFailed`. `now`: milliseconds.
 */
export function throttledWarnings(logger: Logger, now: () => number): ThrottledWarn {
  const last = new Map<string, { at: number; suppressed: number }>();
  return (kind, message, fields) => {
    const before = last.get(kind);
    if (before !== undefined && now() - before.at < warningInterval) {
      before.suppressed += 1;
      return;
    }
    last.set(kind, { at: now(), suppressed: 0 });
    logger.warn(message, { ...fields, ...(before?.suppressed ? { alsoFailed: before.suppressed } : {}) });
  };
}
