/** How many times as much `npm run long`, or a round of `npm run fuzz`, tries as `npm test`. */
export const timesAsMany = Number(process.env.FUZZ_RUNS ?? 1);

/**
 * Returns those variants of a claim that `npm test` tries for the `nth` thing that the claim is about: one of `apart`, in turn, so that
 * things next to each other get different ones. `npm run long` tries all variants for each.
 */
export function someOf<Variant>(variants: readonly Variant[], nth: number, apart: number): Variant[] {
  return timesAsMany > 1 ? [...variants] : variants.filter((_, index) => index % apart === nth % apart);
}
