/**
 * Returns work that runs when it is called, but not again until a time has passed since it last succeeded.
 *
 * @param now monotonic milliseconds
 */
export function atMostEvery(
  milliseconds: number,
  work: () => Promise<unknown>,
  now: () => number,
): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const started = now();
    if (started < next) return;
    await work();
    next = started + milliseconds;
  };
}
