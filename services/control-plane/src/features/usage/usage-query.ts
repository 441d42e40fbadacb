import { type ControlPlaneOperations, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import type { EndpointInput } from '@multi-drm/service-kit';
import type { UsageInterval } from '../../stores/usage';
import type { Dimension } from '../../usage/dimensions';
import { timeRangeOf } from '../time-range';
import { countIntervals, endOfIntervals, startOfInterval } from './usage-interval';

type Query = EndpointInput<ControlPlaneOperations['getEnvironmentUsage'], unknown>['query'];

/** The requested usage. */
export interface UsageQuery {
  /** The start of an interval. */
  from: Date;
  /** The end of an interval, exclusive. */
  to: Date;
  interval: UsageInterval;
  /** How many there are from `from` to `to`. */
  intervals: number;
  /** null: not grouped. */
  groupBy: Dimension | null;
}

/** A curve of a day by minutes and one of two months by hours have fewer. */
const maximumIntervals = 1_500;

/** In JSON, with groups: 100 of them, each with two months by day. Nobody else is answered while a long answer is written. */
const maximumGroupedIntervals = 62;

const hours = 3_600_000;
const days = 24 * hours;

/**
 * Reads a validated query. Throws `invalid_request` if the time is empty, too long, or no longer kept.
 *
 * @param asTable whether a table is asked for, which is written in portions
 */
export function usageQueryOf(query: Query, now: Date, asTable: boolean): UsageQuery {
  const { interval = 'day', groupBy = null } = query;
  const errors: FieldErrors = {};
  const asked = timeRangeOf({ from: query.from, to: query.to ?? now.toISOString() }, errors);
  if (errors.to !== undefined && query.to === undefined) {
    throw invalidRequest({ from: ['must be in the past, unless to is sent'] });
  }
  const from = startOfInterval(asked.from ?? now, interval);
  const to = endOfIntervals(asked.to ?? now, interval);
  const intervals = countIntervals(from, to, interval);
  const most = groupBy === null || asTable ? maximumIntervals : maximumGroupedIntervals;
  if (intervals > most) {
    errors.to = [`is ${intervals} ${interval}s after from, at most ${most} are returned: choose a longer interval`];
  }
  const { text, milliseconds } = keptFor(interval, groupBy);
  if (from.getTime() < now.getTime() - milliseconds) {
    errors.from = [
      `rounded down to the ${interval}, must be at most ${text} ago: earlier numbers are no longer complete`,
    ];
  }
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return { from, to, interval, intervals, groupBy };
}

function keptFor(interval: UsageInterval, groupBy: UsageQuery['groupBy']): { text: string; milliseconds: number } {
  if (interval !== 'minute') return { text: '400 days', milliseconds: 400 * days };
  if (groupBy === 'contentId') return { text: '48 hours', milliseconds: 48 * hours };
  return { text: '35 days', milliseconds: 35 * days };
}
