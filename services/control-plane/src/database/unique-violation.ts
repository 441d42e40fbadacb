import { Prisma } from '../generated/prisma/client';

/**
 * Whether an error of the Prisma client means that a unique index rejected a record. Catch it outside the transaction:
 * PostgreSQL has aborted the transaction and would answer its COMMIT with a silent rollback.
 */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
