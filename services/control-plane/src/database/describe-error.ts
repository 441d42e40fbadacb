/**
 * Describes an error. A host with several addresses fails with one error per address and an empty message of its own.
 */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
