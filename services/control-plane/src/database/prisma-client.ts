import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client';
import { runAlone } from './bounded-statements';
import { createConnectionPool } from './connection-pool';

export interface PrismaClientOptions {
  /** Connections at most. */
  poolSize?: number;
  /** Bound of the wait for a connection, be it a new one or one of the pool that others use. */
  connectMilliseconds?: number;
  /** Bound of a statement, kept by PostgreSQL itself, its waits for locks included. */
  statementMilliseconds?: number;
  /** Bound of an interactive transaction, from its start to its commit. */
  transactionMilliseconds?: number;
  /** Told of connections that broke: each is replaced, and a query under way on it has rejected. */
  onConnectionError?: (error: Error) => void;
}

/**
 * A Prisma client on a bounded pool. Every call answers within a few seconds, also where the database is out of reach,
 * busy beyond its means, or takes connections and never answers; `isDatabaseUnavailable` knows the errors. Works through
 * a pooler that hands out connections for a transaction each: nothing but the time zone is set for longer.
 * Connects with the first query. Ends its connections with `$disconnect()`.
 */
export function createPrismaClient(connectionString: string, options: PrismaClientOptions = {}): PrismaClient {
  const {
    poolSize = 10,
    connectMilliseconds = 2_000,
    statementMilliseconds = 3_000,
    transactionMilliseconds = 5_000,
    onConnectionError = () => undefined,
  } = options;
  // A process that hangs, or whose machine is gone, must not hold locks for ever.
  const bounds = { statementMilliseconds, idleInTransactionMilliseconds: 2 * transactionMilliseconds };
  const pool = createConnectionPool({
    connectionString,
    size: poolSize,
    connectMilliseconds,
    bounds,
    onConnectionError,
  });
  const adapter = new PrismaPg(Object.assign(pool, { query: runAlone(pool) }), { disposeExternalPool: true });
  return new PrismaClient({
    adapter,
    errorFormat: 'minimal', // no excerpts of the source in error messages
    transactionOptions: { maxWait: connectMilliseconds, timeout: transactionMilliseconds },
  });
}
