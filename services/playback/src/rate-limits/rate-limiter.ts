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
  counts: RateCounts;
  /** Calls of one caller in a minute; absent: any number. */
  limit: number | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Told why a count could not be shared. The limit then holds for this process alone. */
  onFailure: (error: unknown) => void;
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
    const { limit, now } = this.options;
    if (limit === undefined) return undefined;
    const time = now();
    const count = this.countOf(caller, Math.floor(time / windowMilliseconds));
    if (count.known + count.unsent >= limit) return Math.ceil(((count.window + 1) * windowMilliseconds - time) / 1000);
    count.unsent += 1;
    if (!count.sending) void this.share(caller, count);
    return undefined;
  }

  private countOf(caller: string, window: number): Count {
    const present = this.callers.get(caller);
    if (present?.window === window) return present;
    const count = { window, known: 0, unsent: 0, sending: false };
    this.callers.set(caller, count);
    return count;
  }

  private async share(caller: string, count: Count): Promise<void> {
    count.sending = true;
    while (count.unsent > 0) {
      const calls = count.unsent;
      try {
        count.known = await this.options.counts.add(caller, count.window, calls, windowMilliseconds);
      } catch (error) {
        count.known += calls;
        this.options.onFailure(error);
      }
      count.unsent -= calls;
    }
    count.sending = false;
  }
}
