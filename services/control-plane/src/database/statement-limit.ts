import { AsyncLocalStorage } from 'node:async_hooks';
import type { Endpoint } from '@multi-drm/service-kit';

/** Milliseconds. */
const limits = new AsyncLocalStorage<number>();

/** Of each statement of a list or a search. */
const listMilliseconds = 1_500;

/** Runs work whose statements PostgreSQL ends after so long, where the bound of all statements is not shorter. */
export function limitStatements<Result>(milliseconds: number, work: () => Result): Result {
  return limits.run(milliseconds, work);
}

/** What `limitStatements` says of the work that asks; undefined: nothing. */
export function statementLimit(): number | undefined {
  return limits.getStore();
}

/**
 * Bounds the statements of lists and searches closer than those of changes: they cost as much as an organization has
 * records, and whoever gave one up asks again.
 */
export function limitListStatements<Access, Context>(endpoint: Endpoint<Access, Context>): Endpoint<Access, Context> {
  if (!endpoint.operationId.startsWith('list')) return endpoint;
  return { ...endpoint, handle: (input) => limitStatements(listMilliseconds, () => endpoint.handle(input)) };
}
