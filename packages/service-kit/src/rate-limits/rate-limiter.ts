import { Problem } from '@multi-drm/contracts';
import { LRUCache } from 'lru-cache';
import type { RateCounts } from './rate-counts';

const windowMilliseconds = 60_000;

/** Callers followed at once; of more, those not seen for longest start anew. */
const maximumCallers = 50_000;

interface Count {
  window: number;
  /** Of all processes, as far as it is known. */
  known: number;
  /** Of this process, since then. */
  unsent: number;
  sending: boolean;
}

interface RateLimiterOptions {
  /** Shares counts between processes; absent: each process counts by itself. */
  counts?: RateCounts;
  /** Calls of one caller in a minute; absent: any number. */
  limit: number | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Told why a count could not be shared. The limit then holds for this process alone. */
  onFailure?: (error: unknown) => void;
}

/**
 * Limits calls by fixed windows of a minute. The decision is made from memory and the count shared with the other
 * processes behind it, so that no request waits for it: a process hears of the others' calls with its own next one, so
 * together they may overshoot by a call each and what they take in the time of a round trip.
 */
export class RateLimiter {
  private readonly callers = new LRUCache<string, Count>({ max: maximumCallers });

  constructor(private readonly options: RateLimiterOptions) {}

  /** Counts a call. Seconds to wait where the caller has no call left; undefined where it has. */
  take(caller: string): number | undefined {
    const seconds = this.wait(caller);
    if (seconds !== undefined || this.options.limit === undefined) return seconds;
    const count = this.countOf(caller);
    count.unsent += 1;
    if (!count.sending) void this.share(caller, count);
    return undefined;
  }

  /** What `take` would answer, with nothing counted. */
  wait(caller: string): number | undefined {
    const { limit, now } = this.options;
    const time = now();
    const present = this.callers.get(caller);
    if (limit === undefined || present === undefined || present.window !== windowAt(time)) return undefined;
    if (present.known + present.unsent < limit) return undefined;
    return Math.ceil(((present.window + 1) * windowMilliseconds - time) / 1000);
  }

  private countOf(caller: string): Count {
    const window = windowAt(this.options.now());
    const present = this.callers.get(caller);
    if (present?.window === window) return present;
    const count = { window, known: 0, unsent: 0, sending: false };
    this.callers.set(caller, count);
    return count;
  }

  private async share(caller: string, count: Count): Promise<void> {
    const { counts, onFailure } = this.options;
    count.sending = true;
    while (count.unsent > 0) {
      const calls = count.unsent;
      try {
        if (counts === undefined) count.known += calls;
        else count.known = await counts.add(caller, count.window, calls, windowMilliseconds);
      } catch (error) {
        count.known += calls;
        onFailure?.(error);
      }
      count.unsent -= calls;
    }
    count.sending = false;
  }
}

const windowAt = (time: number): number => Math.floor(time / windowMilliseconds);

/** The refusal of a call that is one too many. */
export function rateLimited(retryAfterSeconds: number, detail = 'There were too many calls within a minute.'): Problem {
  return new Problem('rate_limited', detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}
