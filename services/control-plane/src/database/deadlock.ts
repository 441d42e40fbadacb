import { errorChain, textOf } from './error-chain';

/** Prisma's own code for a deadlock or write conflict, and the SQLSTATEs (PostgreSQL, appendix A) of both. */
const conflictCodes = new Set(['P2034', '40P01', '40001']);

/**
 * Whether an error of the Prisma client means that PostgreSQL aborted a transaction so that others waiting for its
 * locks can proceed. None of it took effect, so the same transaction may run again. Catch it outside the transaction.
 */
export function isDeadlock(error: unknown): boolean {
  return errorChain(error).some((link) =>
    ['code', 'originalCode'].some((name) => conflictCodes.has(textOf(link, name) ?? '')),
  );
}
