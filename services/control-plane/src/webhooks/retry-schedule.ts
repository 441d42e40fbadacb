const day = 86_400_000;

/** Pauses become longer by up to a tenth, so that what failed together is not sent again together. */
const jitter = 0.1;

/** When an attempt has failed. */
interface FailedAttempt {
  /** How many attempts there were, with this one. */
  attempts: number;
  /** The header `Retry-After` of the answer. */
  retryAfter: string | undefined;
}

interface Schedule {
  /** The pauses after the first attempt, the second one and so on. */
  retrySeconds: readonly number[];
  /** Milliseconds since 1970: `Retry-After` may be a date. */
  now: number;
  /** A number from 0 up to 1. */
  random: number;
}

/** Returns the pause before the next attempt, in milliseconds; undefined if this was the last one. */
export function retryPause({ attempts, retryAfter }: FailedAttempt, { retrySeconds, now, random }: Schedule) {
  const seconds = retrySeconds[attempts - 1];
  if (seconds === undefined) return undefined;
  const planned = seconds * 1000 * (1 + jitter * random);
  return Math.max(planned, Math.min(day, millisecondsOf(retryAfter, now)));
}

/** What the receiver asks for, as seconds or as a date (RFC 9110, section 10.2.3); 0 if it does not, or asks for something else. */
function millisecondsOf(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? 0 : date - now;
}
