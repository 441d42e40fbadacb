import { escapeIdentifier } from 'pg';
import { statementLimit } from './statement-limit';

/** What holds for each transaction; a statement outside of one runs in a transaction of its own. */
export interface StatementBounds {
  /** How long PostgreSQL lets a statement run. */
  statementMilliseconds: number;
  /** How long PostgreSQL lets a transaction idle between statements. */
  idleInTransactionMilliseconds: number;
  /** The only schema of the `search_path`; known when the first connection is open. */
  schema?: string | undefined;
}

/**
 * The statements that begin a transaction with its time limits (see also `limitStatements`) and schema. It is READ COMMITTED, whatever the
 * role or database is set to, unless a statement raises the level.
 */
export function beginBounded(bounds: StatementBounds): string {
  return `BEGIN ISOLATION LEVEL READ COMMITTED; ${setBounds(bounds)}`;
}

/**
 * The statements that give its bounds to a transaction that has begun. `SET LOCAL` ends with the transaction: behind a pooler, the next
 * one on the same server connection may belong to another process. Poolers also reject startup parameters (PgBouncer,
 * `ignore_startup_parameters`).
 */
export function setBounds({ statementMilliseconds, idleInTransactionMilliseconds, schema }: StatementBounds): string {
  if (schema === undefined) throw new Error('the schema is not known before the first connection');
  return `SET LOCAL statement_timeout = ${Math.min(statementMilliseconds, statementLimit() ?? statementMilliseconds)};
    SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMilliseconds};
    SET LOCAL search_path = ${escapeIdentifier(schema)}`;
}
