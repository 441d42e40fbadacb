import { errorChain, textOf } from './error-chain';

/** Prisma's own code for a deadlock or a write conflict; SQLSTATE (PostgreSQL, appendix A) of both. */
const conflictCodes = new Set(['P2034', '40P01', '40001']);

/**
 * Whether an error of the Prisma client means that PostgreSQL gave a transaction up so that others, which waited for its
 * locks, can go on. Nothing of it happened; the same transaction may be run again. Catch it outside the transaction.
 */
export function isDeadlock(error: unknown): boolean {
  return errorChain(error).some((link) =>
    ['code', 'originalCode'].some((name) => conflictCodes.has(textOf(link, name) ?? '')),
  );
}
