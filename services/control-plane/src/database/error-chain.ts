/** The error and its causes: Prisma puts the adapter's error in `meta`, others use `cause`. */
export function errorChain(error: unknown): object[] {
  if (typeof error !== 'object' || error === null) return [];
  const meta = 'meta' in error && typeof error.meta === 'object' ? error.meta : undefined;
  const adapterError = meta && 'driverAdapterError' in meta ? meta.driverAdapterError : undefined;
  return [error, ...errorChain(adapterError), ...('cause' in error ? errorChain(error.cause) : [])];
}

/** A string property of such an error. */
export function textOf(link: object, name: string): string | undefined {
  const value: unknown = Reflect.get(link, name);
  return typeof value === 'string' ? value : undefined;
}
