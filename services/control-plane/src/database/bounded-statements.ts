import { type ClientBase, type Connection, type Pool, Query, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { statementLimit } from './statement-limit';

/** How long PostgreSQL lets a statement run and a transaction idle between statements, in milliseconds. */
export interface StatementBounds {
  statementMilliseconds: number;
  idleInTransactionMilliseconds: number;
}

/** The statement with which Prisma's adapter begins each transaction. */
const begin = 'BEGIN';

/**
 * Starts every transaction on a connection with its time limits, in one message with its BEGIN; see also `limitStatements`. `SET LOCAL`
 * ends with the transaction: behind a pooler, the next transaction on the same server connection may belong to another process. Poolers
 * also reject startup parameters (PgBouncer, `ignore_startup_parameters`).
 */
export function boundTransactions(client: ClientBase, bounds: StatementBounds): void {
  const beginBounded = () => ({
    text: `${begin}; SET LOCAL statement_timeout = ${limitOfStatement(bounds)};
      SET LOCAL idle_in_transaction_session_timeout = ${bounds.idleInTransactionMilliseconds}`,
  });
  const query: (statement: unknown, ...more: unknown[]) => unknown = client.query.bind(client);
  Object.assign(client, {
    query: (statement: unknown, ...more: unknown[]) => query(isBegin(statement) ? beginBounded() : statement, ...more),
  });
}

function limitOfStatement({ statementMilliseconds }: StatementBounds): number {
  return Math.min(statementMilliseconds, statementLimit() ?? statementMilliseconds);
}

function isBegin(statement: unknown): boolean {
  return typeof statement === 'object' && statement !== null && 'text' in statement && statement.text === begin;
}

/** The pool's `query`, as the adapter calls it for a statement outside a transaction: runs it with its time limit. */
export function runAlone(
  pool: Pool,
  bounds: StatementBounds,
): (statement: QueryArrayConfig) => Promise<QueryArrayResult> {
  return async (statement) => {
    const client = await pool.connect();
    let failed = true;
    try {
      const result = await runLimited(client, statement, limitOfStatement(bounds));
      failed = false;
      return result;
    } finally {
      client.release(failed); // discard a connection that failed, as the pool's own `query` does
    }
  };
}

/**
 * Sends the limit and the statement together. PostgreSQL runs what comes before one Sync message as one transaction (PostgreSQL,
 * "Pipelining" of the extended query protocol), so that the limit ends with it, without the round trips of BEGIN and COMMIT.
 */
function runLimited(client: ClientBase, statement: QueryArrayConfig, milliseconds: number): Promise<QueryArrayResult> {
  return new Promise((resolve, reject) => {
    // Also without parameters, because a simple query would be a transaction of its own.
    const extended = { ...statement, queryMode: 'extended' };
    const query = new Query(extended, (error: Error | null | undefined, results: unknown) => {
      if (error) reject(error);
      else resolve((results as [limit: QueryArrayResult, statement: QueryArrayResult])[1]);
    });
    const { submit } = query;
    query.submit = (connection) => {
      connection.stream.cork(); // both leave in one packet
      try {
        sendLimit(connection, milliseconds);
        return submit.call(query, connection);
      } finally {
        connection.stream.uncork();
      }
    };
    client.query(query);
  });
}

/** The statement returns no row, because the driver would take it for one of the statement that follows. */
function sendLimit(connection: Connection, milliseconds: number): void {
  const text = `SELECT FROM set_config('statement_timeout', '${milliseconds}', true) OFFSET 1`;
  connection.parse({ name: '', text, types: [] }, true);
  connection.bind({}, true);
  connection.execute({}, true);
}
