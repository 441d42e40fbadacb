import type { ClientBase, Pool, QueryArrayConfig, QueryArrayResult } from 'pg';
import { statementLimit } from './statement-limit';

/** How long PostgreSQL lets a statement run, and a transaction wait for its next statement, in milliseconds. */
export interface StatementBounds {
  statementMilliseconds: number;
  idleInTransactionMilliseconds: number;
}

/** As Prisma's adapter begins each of its transactions. */
const begin = 'BEGIN';

/**
 * Has every transaction on a connection begin with its bounds, in one message with its BEGIN; see `limitStatements`, too.
 * `SET LOCAL` ends with the transaction: behind a pooler the next one on the same connection to the server may be another
 * process's, and parameters at the start of a connection are refused (PgBouncer, `ignore_startup_parameters`).
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

/** The pool's `query`, as the adapter calls it for a statement outside of any transaction: in one of its own, so that it is bounded. */
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
      client.release(failed); // one that failed is ended, as by the pool's own `query`
    }
  };
}
