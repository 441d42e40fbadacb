import { Problem } from '@multi-drm/contracts';
import { LRUCache } from 'lru-cache';
import { atMost } from '../cache-bound';
import type { RateCounts } from './rate-counts';

const windowMilliseconds = 60_000;

/** How many callers are tracked; beyond that, the least recently seen caller is forgotten. */
const maximumCallers = 50_000;

interface Count {
  window: number;
  /** Calls counted by all processes, as far as this one knows. */
  known: number;
  /** Calls of this process that are not shared yet. */
  unsent: number;
  sending: boolean;
}

interface RateLimiterOptions {
  /** Shares counts between processes. Absent: each process counts by itself. */
  counts?: RateCounts;
  /** Calls of one caller in a minute; absent: no limit. */
  limit: number | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Called if a count could not be shared. The limit then applies to this process alone. */
  onFailure?: (error: unknown) => void;
}

/**
 * Limits calls by fixed windows of a minute. The decision is made from memory; the count is shared with other processes
 * afterwards, so that no request waits for it. A process learns of the others' calls with its own next call. Together,
 * processes may exceed the limit by one call each, plus the calls they accept during a round trip.
 */
export class RateLimiter {
  private readonly callers = new LRUCache<string, Count>(atMost(maximumCallers));

  constructor(private readonly options: RateLimiterOptions) {}

  /**
   * Counts a call. Returns the seconds to wait if the caller has no calls left, otherwise undefined. `limit`: of this
   * caller, if callers have different ones.
   */
  take(caller: string, limit = this.options.limit): number | undefined {
    const seconds = this.wait(caller, limit);
    if (seconds !== undefined || limit === undefined) return seconds;
    const count = this.countOf(caller);
    count.unsent += 1;
    if (!count.sending) void this.share(caller, count);
    return undefined;
  }

  /** Returns what `take` would, without counting. */
  wait(caller: string, limit = this.options.limit): number | undefined {
    const { now } = this.options;
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

/** The problem for a call beyond the limit. */
export function rateLimited(retryAfterSeconds: number, detail = 'There were too many calls within a minute.'): Problem {
  return new Problem('rate_limited', detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}
