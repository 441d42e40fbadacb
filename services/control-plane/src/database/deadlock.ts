/** SQLSTATE codes (PostgreSQL, appendix A): a deadlock, and a serialization that failed. */
const conflictStates = new Set(['40P01', '40001']);

/** Prisma's own code for both. */
const conflictCode = 'P2034';

/**
 * Whether an error of the Prisma client means that PostgreSQL gave a transaction up so that others, which waited for its
 * locks, can go on. Nothing of it happened; the same transaction may be run again. Catch it outside the transaction.
 */
export function isDeadlock(error: unknown): boolean {
  for (let link: unknown = error, depth = 0; link instanceof Object && depth < 8; depth += 1) {
    const { code, originalCode, meta, cause, driverAdapterError } = link as Record<string, unknown>;
    if (code === conflictCode || conflictStates.has(String(code)) || conflictStates.has(String(originalCode)))
      return true;
    link = meta ?? driverAdapterError ?? cause;
  }
  return false;
}
