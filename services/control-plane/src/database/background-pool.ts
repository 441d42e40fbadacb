import type { Logger } from '@multi-drm/service-kit';
import { type BoundedPool, createConnectionPool } from './connection-pool';
import { schemaOfUrl } from './database-url';

interface BackgroundPoolOptions {
  connectionString: string;
  logger: Logger;
  /** For the log: whose connections they are, such as `the events`. */
  owner: string;
  /** Maximum number of connections. */
  size: number;
  /** How long a statement, or a pause within a transaction, may take. */
  statementMilliseconds: number;
}

/** Connections of their own for what a process does besides answering calls, so that it never waits for requests, nor they for it. */
export function createBackgroundPool(options: BackgroundPoolOptions): BoundedPool {
  const { connectionString, logger, owner, size, statementMilliseconds } = options;
  return createConnectionPool({
    connectionString,
    size,
    connectMilliseconds: 2_000,
    bounds: {
      statementMilliseconds,
      idleInTransactionMilliseconds: statementMilliseconds,
      schema: schemaOfUrl(connectionString),
    },
    onConnected: () => undefined,
    onConnectionError: (error) => logger.warn(`a database connection of ${owner} broke`, { error }),
  });
}
