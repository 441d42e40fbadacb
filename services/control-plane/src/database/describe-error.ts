/** Says what went wrong; a host with several addresses fails with one error for each and no message of its own. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
