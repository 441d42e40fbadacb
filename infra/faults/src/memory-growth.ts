import { percentile } from '@multi-drm/test-kit/load/percentile';

/** The minute from which memory must not grow. */
const flatFrom = 5;
/** Minutes whose median is compared: a single one may follow a large garbage collection. */
const span = 5;
const maximumGrowth = 1.2;

/**
 * Whether a process's memory, in MiB at the end of each minute, grew by more than a fifth after the fifth minute: the medians of five
 * minutes from then and of the last five. Undefined if not, or if the run was too short to tell.
 */
export function memoryGrowth(minutes: number[]): { from: number; to: number } | undefined {
  if (minutes.length < flatFrom - 1 + 2 * span) return undefined;
  const from = percentile(minutes.slice(flatFrom - 1, flatFrom - 1 + span), 0.5);
  const to = percentile(minutes.slice(-span), 0.5);
  return to > maximumGrowth * from ? { from, to } : undefined;
}
