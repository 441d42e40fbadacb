import type { ClientBase, Pool, QueryArrayConfig, QueryArrayResult } from 'pg';
import { statementLimit } from './statement-limit';

/** How long PostgreSQL lets a statement run and a transaction idle between statements, in milliseconds. */
export interface StatementBounds {
  statementMilliseconds: number;
  idleInTransactionMilliseconds: number;
}

/** The statement with which Prisma's adapter begins each transaction. */
const begin = 'BEGIN';

/**
 * Starts every transaction on a connection with its time limits, in one message with its BEGIN; see also
 * `limitStatements`. `SET LOCAL` ends with the transaction: behind a pooler, the next transaction on the same server
 * connection may belong to another process. Poolers also reject startup parameters (PgBouncer,
 * `ignore_startup_parameters`).
 */
export function boundTransactions(client: ClientBase, bounds: StatementBounds): void {
  const { statementMilliseconds, idleInTransactionMilliseconds } = bounds;
  const beginBounded = () => ({
    text: `${begin}; SET LOCAL statement_timeout = ${Math.min(statementMilliseconds, statementLimit() ?? statementMilliseconds)};
      SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMilliseconds}`,
  });
  const query: (statement: unknown, ...more: unknown[]) => unknown = client.query.bind(client);
  Object.assign(client, {
    query: (statement: unknown, ...more: unknown[]) => query(isBegin(statement) ? beginBounded() : statement, ...more),
  });
}

function isBegin(statement: unknown): boolean {
  return typeof statement === 'object' && statement !== null && 'text' in statement && statement.text === begin;
}

/**
 * The pool's `query`, as the adapter calls it for a statement outside a transaction: wraps the statement in a
 * transaction of its own so that the limits apply.
 */
export function runAlone(pool: Pool): (statement: QueryArrayConfig) => Promise<QueryArrayResult> {
  return async (statement) => {
    const client = await pool.connect();
    let failed = true;
    try {
      await client.query({ text: begin });
      const result = await client.query(statement);
      await client.query('COMMIT');
      failed = false;
      return result;
    } finally {
      client.release(failed); // discard a connection that failed, as the pool's own `query` does
    }
  };
}
