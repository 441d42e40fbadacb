import type { UsageInterval } from '../../stores/usage';

const milliseconds = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** The start of the interval that has this time, in UTC. */
export function startOfInterval(time: Date, interval: UsageInterval): Date {
  if (interval === 'month') return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth()));
  const length = milliseconds[interval];
  return new Date(Math.floor(time.getTime() / length) * length);
}

/** The first start of an interval that is not before this time. */
export function endOfIntervals(time: Date, interval: UsageInterval): Date {
  const start = startOfInterval(time, interval);
  return start.getTime() === time.getTime() ? start : addIntervals(start, 1, interval);
}

/** How many intervals there are between two of their starts. */
export function countIntervals(from: Date, to: Date, interval: UsageInterval): number {
  if (interval !== 'month') return (to.getTime() - from.getTime()) / milliseconds[interval];
  return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
}

/** The start of an interval so many intervals later. */
export function addIntervals(start: Date, count: number, interval: UsageInterval): Date {
  if (interval === 'month') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + count));
  return new Date(start.getTime() + count * milliseconds[interval]);
}
