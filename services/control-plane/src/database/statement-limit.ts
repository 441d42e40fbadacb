import { AsyncLocalStorage } from 'node:async_hooks';
import type { Endpoint } from '@multi-drm/service-kit';

/** Milliseconds. */
const limits = new AsyncLocalStorage<number>();

/** Limit of each statement of a list or a search, in milliseconds. */
const listMilliseconds = 1_500;

/** Runs work whose statements PostgreSQL aborts after this time, unless the general limit is shorter. */
export function limitStatements<Result>(milliseconds: number, work: () => Result): Result {
  return limits.run(milliseconds, work);
}

/** The limit set by `limitStatements` for the current work; undefined without one. */
export function statementLimit(): number | undefined {
  return limits.getStore();
}

/**
 * Gives lists and searches a tighter limit than changes: they cost as much as an organization has records, and a client
 * that gave up retries.
 */
export function limitListStatements<Access, Context>(endpoint: Endpoint<Access, Context>): Endpoint<Access, Context> {
  if (!endpoint.operationId.startsWith('list')) return endpoint;
  return { ...endpoint, handle: (input) => limitStatements(listMilliseconds, () => endpoint.handle(input)) };
}
