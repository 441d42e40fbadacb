import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import type { StatementBounds } from './bounded-statements';
import { type ConnectionState, prepareConnection } from './prepare-connection';
import { ReadOnlyConnections } from './read-only-connections';

interface ConnectionPoolOptions {
  connectionString: string;
  /** Maximum number of connections. */
  size: number;
  /** How long to wait for a connection, new or returned to the pool. */
  connectMilliseconds: number;
  /** Of transactions. The first connection sets the schema if it is undefined. */
  bounds: StatementBounds;
  /** Called when the first connection is open. */
  onConnected: (state: ConnectionState) => void;
  /** Called once for each broken connection. It is replaced, and a query running on it has rejected. */
  onConnectionError: (error: Error) => void;
}

/** A pool whose transactions have bounds: those of `inTransaction` and `runAlone`. */
export class BoundedPool extends Pool {
  constructor(
    readonly bounds: StatementBounds,
    config: PoolConfig,
  ) {
    super(config);
  }
}

/** A bounded pool of connections to PostgreSQL. A connection that breaks, at any moment, does not crash the process. */
export function createConnectionPool(options: ConnectionPoolOptions): BoundedPool {
  const { connectionString, size, connectMilliseconds, bounds, onConnected, onConnectionError } = options;
  let connected = false;
  const pool = new BoundedPool(bounds, {
    connectionString,
    max: size,
    connectionTimeoutMillis: connectMilliseconds,
    pipeline: true, // so that the bounds of a transaction need no round trip of their own
    // Enforced by the client, for a server that does not answer at all: slightly longer than the server's own limit.
    query_timeout: bounds.statementMilliseconds + 500,
    keepAlive: true,
    Client: clientsThatReport(onConnectionError),
    onConnect: async (client) => {
      const state = await prepareConnection(client, bounds.schema);
      bounds.schema = state.schema;
      readOnlyConnections.watch(client);
      if (state.readOnly) readOnlyConnections.add(client);
      if (!connected) onConnected(state);
      connected = true;
    },
  });
  const readOnlyConnections = new ReadOnlyConnections(pool);
  pool.on('error', () => undefined); // of an idle connection, which has reported the error itself
  pool.on('release', (_error, client) => endUnfinishedTransaction(client));
  return pool;
}

/**
 * Clients with a listener for `error` for their whole lifetime: an `error` event without a listener ends the process.
 * The pool listens while a client is idle, and the borrower listens after that, which leaves gaps, and a server that
 * shuts down breaks all connections at once. Such a client reports its first error.
 */
function clientsThatReport(report: (error: Error) => void): typeof Client {
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      let reported = false;
      this.on('error', (error) => {
        if (!reported) report(error);
        reported = true;
      });
    }
  };
}

/**
 * Keeps a connection that is inside a transaction from returning to the pool. This happens after a query timed out: the
 * adapter returns the connection although its ROLLBACK never ran. The next user's writes would become part of that
 * transaction, be acknowledged, and never be committed. The pool drops a connection that is ending.
 */
function endUnfinishedTransaction(client: PoolClient): void {
  if (client.getTransactionStatus() !== 'I') void client.end();
}
