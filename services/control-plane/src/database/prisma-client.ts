import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client';
import { runAlone } from './bounded-statements';
import { createConnectionPool } from './connection-pool';

export interface PrismaClientOptions {
  /** Maximum number of connections. */
  poolSize?: number;
  /** How long to wait for a connection, new or returned to the pool. */
  connectMilliseconds?: number;
  /** Limit of a statement including its waits for locks, enforced by PostgreSQL. */
  statementMilliseconds?: number;
  /** Limit of an interactive transaction from start to commit. */
  transactionMilliseconds?: number;
  /** Called for broken connections: each is replaced, and a query running on it has rejected. */
  onConnectionError?: (error: Error) => void;
}

/**
 * A Prisma client on a bounded pool. Every call returns within a few seconds, even if the database is unreachable,
 * overloaded, or accepts connections and never answers; `isDatabaseUnavailable` recognises the errors. Works through a
 * transaction pooler: only the time zone is set for longer than a transaction. Connects with the first query. Closes
 * its connections with `$disconnect()`.
 */
export function createPrismaClient(connectionString: string, options: PrismaClientOptions = {}): PrismaClient {
  const {
    poolSize = 10,
    connectMilliseconds = 2_000,
    statementMilliseconds = 3_000,
    transactionMilliseconds = 5_000,
    onConnectionError = () => undefined,
  } = options;
  // a process that hangs, or whose machine is gone, must not hold locks forever
  const bounds = { statementMilliseconds, idleInTransactionMilliseconds: 2 * transactionMilliseconds };
  const pool = createConnectionPool({
    connectionString,
    size: poolSize,
    connectMilliseconds,
    bounds,
    onConnectionError,
  });
  const adapter = new PrismaPg(Object.assign(pool, { query: runAlone(pool, bounds) }), { disposeExternalPool: true });
  return new PrismaClient({
    adapter,
    errorFormat: 'minimal', // no source excerpts in error messages
    transactionOptions: { maxWait: connectMilliseconds, timeout: transactionMilliseconds },
  });
}
