/**
 * Splits a list into portions of at most this size. They are sent to Redis one after the other, so that other commands can run in between.
 */
export function portions<Value>(values: Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
