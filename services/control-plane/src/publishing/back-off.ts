const shortestMilliseconds = 100;

/**
 * How long to wait after a number of consecutive failures, in milliseconds: 100 to 200 after the first, doubled after
 * each further one, never more than `longestMilliseconds`. Randomised within the upper half, so that instances do not
 * retry in step. `random` returns a number from 0 up to 1.
 */
export function backOffMilliseconds(failures: number, random: () => number, longestMilliseconds = 5_000): number {
  const most = Math.min(shortestMilliseconds * 2 ** failures, longestMilliseconds);
  return most / 2 + random() * (most / 2);
}
