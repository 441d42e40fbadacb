import {
  type ClientBase,
  type Connection,
  escapeIdentifier,
  escapeLiteral,
  type Pool,
  Query,
  type QueryArrayConfig,
  type QueryArrayResult,
} from 'pg';
import { statementLimit } from './statement-limit';

/** What holds for each transaction and each statement outside of one. */
export interface StatementBounds {
  /** How long PostgreSQL lets a statement run. */
  statementMilliseconds: number;
  /** How long PostgreSQL lets a transaction idle between statements. */
  idleInTransactionMilliseconds: number;
  /** The only schema of the `search_path`; known when the first connection is open. */
  schema?: string | undefined;
}

/** The statement with which Prisma's adapter begins each transaction. */
const begin = 'BEGIN';

/**
 * Starts every transaction on a connection with its time limits and schema, in one message with its BEGIN; see also `limitStatements`.
 * It is READ COMMITTED, whatever the role or database is set to, unless a statement raises the level.
 * `SET LOCAL` ends with the transaction: behind a pooler, the next transaction on the same server connection may belong to another
 * process. Poolers also reject startup parameters (PgBouncer, `ignore_startup_parameters`).
 */
export function boundTransactions(client: ClientBase, bounds: StatementBounds): void {
  const beginBounded = () => ({
    text: `${begin} ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${limitOfStatement(bounds)};
      SET LOCAL idle_in_transaction_session_timeout = ${bounds.idleInTransactionMilliseconds};
      SET LOCAL search_path = ${searchPath(bounds)}`,
  });
  const query: (statement: unknown, ...more: unknown[]) => unknown = client.query.bind(client);
  Object.assign(client, {
    query: (statement: unknown, ...more: unknown[]) => query(isBegin(statement) ? beginBounded() : statement, ...more),
  });
}

function limitOfStatement({ statementMilliseconds }: StatementBounds): number {
  return Math.min(statementMilliseconds, statementLimit() ?? statementMilliseconds);
}

function searchPath({ schema }: StatementBounds): string {
  if (schema === undefined) throw new Error('the schema is not known before the first connection');
  return escapeIdentifier(schema);
}

function isBegin(statement: unknown): boolean {
  return typeof statement === 'object' && statement !== null && 'text' in statement && statement.text === begin;
}

/** The pool's `query`, as the adapter calls it for a statement outside a transaction: runs it with its bounds. */
export function runAlone(
  pool: Pool,
  bounds: StatementBounds,
): (statement: QueryArrayConfig) => Promise<QueryArrayResult> {
  return async (statement) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      return await runLimited(client, statement, bounds);
    } catch (error) {
      failure = error instanceof Error ? error : new Error('the statement failed', { cause: error });
      throw error;
    } finally {
      client.release(failure); // discard a connection that failed, as the pool's own `query` does
    }
  };
}

/**
 * Sends the bounds and the statement together. PostgreSQL runs what comes before one Sync message as one transaction (PostgreSQL,
 * "Pipelining" of the extended query protocol), so that the bounds end with it, without the round trips of BEGIN and COMMIT.
 */
function runLimited(
  client: ClientBase,
  statement: QueryArrayConfig,
  bounds: StatementBounds,
): Promise<QueryArrayResult> {
  return new Promise((resolve, reject) => {
    // Also without parameters, because a simple query would be a transaction of its own.
    const extended = { ...statement, queryMode: 'extended' };
    const query = new Query(extended, (error: Error | null | undefined, results: unknown) => {
      if (error) reject(error);
      else resolve((results as [bounds: QueryArrayResult, statement: QueryArrayResult])[1]);
    });
    const { submit } = query;
    query.submit = (connection) => {
      connection.stream.cork(); // both leave in one packet
      try {
        sendBounds(connection, bounds);
        return submit.call(query, connection);
      } finally {
        connection.stream.uncork();
      }
    };
    client.query(query);
  });
}

/** The statement returns no row, because the driver would take it for one of the statement that follows. */
function sendBounds(connection: Connection, bounds: StatementBounds): void {
  const settings = [
    `set_config('statement_timeout', '${limitOfStatement(bounds)}', true) AS statement_timeout`,
    `set_config('search_path', ${escapeLiteral(searchPath(bounds))}, true) AS search_path`,
  ];
  const text = `SELECT FROM ${settings.join(', ')} OFFSET 1`;
  connection.parse({ name: '', text, types: [] }, true);
  connection.bind({}, true);
  connection.execute({}, true);
}
