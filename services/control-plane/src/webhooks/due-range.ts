const day = 86_400_000;

/** Of which times the events are that are looked for: texts of PostgreSQL, from then on and before then. */
export interface DueRange {
  from: string;
  to: string;
}

/** All that are stored. */
export const everyDay: DueRange = { from: '-infinity', to: 'infinity' };

/**
 * Returns the days of almost all events that are due, unless they are replayed: planning and running a query over these partitions takes a
 * fifth of what it takes over all of them.
 *
 * @param now milliseconds since 1970
 * @param retrySeconds the pauses between attempts
 */
export function recentDays(now: number, retrySeconds: readonly number[]): DueRange {
  const longest = retrySeconds.reduce((sum, seconds) => sum + seconds * 1_100, 0);
  return {
    // Events may be stored a day late.
    from: new Date(now - longest - 2 * day).toISOString(),
    to: new Date(now + day).toISOString(),
  };
}
