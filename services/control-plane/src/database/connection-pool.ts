import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { boundTransactions, type StatementBounds } from './bounded-statements';
import { setTimeZoneToUtc } from './time-zone';

interface ConnectionPoolOptions {
  connectionString: string;
  /** Connections at most. */
  size: number;
  /** Bound of the wait for a connection, be it a new one or one of the pool that others use. */
  connectMilliseconds: number;
  /** Of statements and transactions; see `boundTransactions`. */
  bounds: StatementBounds;
  /** Told once of each connection that broke: it is replaced, and a query under way on it has rejected. */
  onConnectionError: (error: Error) => void;
}

/** A bounded pool of connections to PostgreSQL. A connection that breaks, at whatever moment, is no fault of the process. */
export function createConnectionPool(options: ConnectionPoolOptions): Pool {
  const { connectionString, size, connectMilliseconds, bounds, onConnectionError } = options;
  const pool = new Pool({
    connectionString,
    max: size,
    connectionTimeoutMillis: connectMilliseconds,
    // Kept by the client, for a server that does not answer at all: a little later than what the server itself keeps.
    query_timeout: bounds.statementMilliseconds + 500,
    keepAlive: true,
    Client: clientsThatReport(onConnectionError),
    onConnect: async (client) => {
      await client.query(setTimeZoneToUtc);
      boundTransactions(client, bounds);
    },
  });
  pool.on('error', () => undefined); // of an idle connection, which has told of it itself
  pool.on('release', (_error, client) => endUnfinishedTransaction(client));
  return pool;
}

/**
 * Clients with a listener for `error` from their first moment to their last: an event that nobody listens to ends the
 * process. The pool listens while a client is idle and whoever borrowed it from then on, which leaves moments in between,
 * and a server that ends breaks all of its connections at once. Such a client tells of its first error.
 */
function clientsThatReport(report: (error: Error) => void): typeof Client {
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      let told = false;
      this.on('error', (error) => {
        if (!told) report(error);
        told = true;
      });
    }
  };
}

/**
 * Keeps a connection that is inside a transaction from going back to the pool. This happens where a query had no answer
 * in time: the adapter hands the connection back although its ROLLBACK never ran. The next user's writes would become
 * part of that transaction, be acknowledged, and never be committed. The pool drops a connection that is ending.
 */
function endUnfinishedTransaction(client: PoolClient): void {
  if (client.getTransactionStatus() !== 'I') void client.end();
}
