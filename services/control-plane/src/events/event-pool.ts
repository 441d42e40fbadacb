import type { Logger } from '@multi-drm/service-kit';
import type { Pool } from 'pg';
import { createConnectionPool } from '../database/connection-pool';
import { schemaOfUrl } from '../database/database-url';

/** A portion of entries is stored in one transaction, whose statements have thousands of rows. */
const defaultStatementMilliseconds = 10_000;

/**
 * How long a transaction that stores what Redis tells may take, whatever its statements take: what was decided when it began, such as who
 * was erased, is old by then.
 */
export const storingMilliseconds = 10_000;

/** Connections of their own, so that storing events never waits for requests, nor they for it. */
export function createEventPool(
  connectionString: string,
  logger: Logger,
  statementMilliseconds = defaultStatementMilliseconds,
): Pool {
  return createConnectionPool({
    connectionString,
    // Two that store, one for the other parts of a round, and one that erases.
    size: 4,
    connectMilliseconds: 2_000,
    bounds: {
      statementMilliseconds,
      idleInTransactionMilliseconds: statementMilliseconds,
      schema: schemaOfUrl(connectionString),
    },
    onConnected: () => undefined,
    onConnectionError: (error) => logger.warn('a database connection of the events broke', { error }),
  });
}
