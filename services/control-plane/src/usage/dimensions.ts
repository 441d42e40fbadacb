/** By what sessions are grouped. */
export const dimensions = ['drmSystem', 'clientPlatform', 'applicationId', 'contentId', 'contentType'] as const;

export type Dimension = (typeof dimensions)[number];

/** A dimension, or '' for the total. */
export type DimensionOrTotal = Dimension | '';

export const dimensionsAndTotal: readonly DimensionOrTotal[] = ['', ...dimensions];

/** The value that sessions have whose own is beyond the most that are counted one by one. */
export const otherValues = '(other)';

/**
 * How many values are counted one by one of the sessions of an environment that start on a day (UTC): callers choose these texts. The other
 * dimensions have few values.
 */
export const maximumValues = { clientPlatform: 200, applicationId: 200, contentId: 10_000 } as const satisfies Partial<
  Record<Dimension, number>
>;

export type LimitedDimension = keyof typeof maximumValues;
