import type { FieldErrors } from '@multi-drm/contracts';

/** The time range of a list: `from` is inclusive, `to` exclusive; undefined is open. */
export interface TimeRange {
  from: Date | undefined;
  to: Date | undefined;
}

/** Reads the range of a validated query, and adds an error if it is empty. */
export function timeRangeOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  errors: FieldErrors,
): TimeRange {
  const range = {
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
  if (range.from !== undefined && range.to !== undefined && range.from >= range.to) errors.to = ['must be after from'];
  return range;
}
