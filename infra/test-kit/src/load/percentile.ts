/** The value below which this share of the values lies; 0.5 for the median. NaN if there are none. */
export function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
