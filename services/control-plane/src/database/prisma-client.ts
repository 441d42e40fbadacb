import { HashKeySeal } from '@multi-drm/service-kit';
import { PrismaPg } from '@prisma/adapter-pg';
import type { QueryConfig } from 'pg';
import { PrismaClient } from '../generated/prisma/client';
import { type StatementBounds, setBounds } from './bounded-statements';
import { type BoundedPool, createConnectionPool } from './connection-pool';
import { schemaOfUrl } from './database-url';
import { runAlone } from './pool-transaction';
import type { ConnectionState } from './prepare-connection';

export interface PrismaClientOptions {
  /** Maximum number of connections. */
  poolSize?: number;
  /** How long to wait for a connection, new or returned to the pool. */
  connectMilliseconds?: number;
  /** Limit of a statement including its waits for locks, enforced by PostgreSQL. */
  statementMilliseconds?: number;
  /** Limit of an interactive transaction from start to commit. */
  transactionMilliseconds?: number;
  /** Opens the key of the viewers' buckets whenever it is read; absent: it is in the clear. */
  hashKeySeal?: HashKeySeal;
  /** Called when the first connection is open. */
  onConnected?: (state: ConnectionState) => void;
  /** Called for broken connections: each is replaced, and a query running on it has rejected. */
  onConnectionError?: (error: Error) => void;
}

/**
 * A Prisma client on a bounded pool. Every call returns within a few seconds, even if the database is unreachable,
 * overloaded, or accepts connections and never answers; `isDatabaseUnavailable` recognises the errors. Works through a
 * transaction pooler: only the time zone and the date style are set for longer than a transaction. All queries use one
 * schema: that of the URL, or the first of the first connection's `search_path`. Connects with `$connect()` or the first
 * query. Closes its connections with `$disconnect()`.
 */
export function createPrismaClient(connectionString: string, options: PrismaClientOptions = {}): PrismaClient {
  const {
    poolSize = 10,
    connectMilliseconds = 2_000,
    statementMilliseconds = 3_000,
    transactionMilliseconds = 5_000,
    hashKeySeal = new HashKeySeal([]),
    onConnected = () => undefined,
    onConnectionError = () => undefined,
  } = options;
  // a process that hangs, or whose machine is gone, must not hold locks forever
  const bounds: StatementBounds = {
    statementMilliseconds,
    idleInTransactionMilliseconds: 2 * transactionMilliseconds,
    schema: schemaOfUrl(connectionString),
  };
  const pool = createConnectionPool({
    connectionString,
    size: poolSize,
    connectMilliseconds,
    bounds,
    onConnected,
    onConnectionError,
  });
  const client = new PrismaClient({
    adapter: new BoundedAdapter(pool),
    errorFormat: 'minimal', // no source excerpts in error messages
    transactionOptions: { maxWait: connectMilliseconds, timeout: transactionMilliseconds },
  });
  return openingHashKey(client, hashKeySeal);
}

/** In one place: whoever publishes anything of a viewer reads the key, in a transaction or not. */
function openingHashKey(client: PrismaClient, seal: HashKeySeal): PrismaClient {
  const extended = client.$extends({
    query: {
      subjectHashKey: {
        async findFirst({ args, query }) {
          const row = await query(args);
          return typeof row?.sealedKey === 'string'
            ? { ...row, key: Buffer.from(seal.open(row.sealedKey), 'base64url') }
            : row;
        },
      },
    },
  });
  // Its methods are the same, but for those that extend it further.
  return extended as unknown as PrismaClient;
}

/** Bounds what Prisma runs, and tells it the schema of the first connection, because Prisma names the schema in each query that it builds. */
class BoundedAdapter extends PrismaPg {
  /** Kept, because each connect() of the base class adds a listener to the pool. */
  private adapter: ReturnType<PrismaPg['connect']> | undefined;

  constructor(private readonly pool: BoundedPool) {
    // The base class calls only this overload, for statements outside a transaction.
    const query = (statement: QueryConfig) => runAlone(pool, statement);
    super(Object.assign(pool, { query }), { disposeExternalPool: true });
  }

  /** Rejects if the database is unavailable; Prisma calls it again for its next query. */
  override async connect() {
    this.adapter ??= this.withBoundedTransactions();
    const adapter = await this.adapter;
    const { rows } = await adapter.queryRaw({ sql: 'SELECT current_schema()::text', args: [], argTypes: [] });
    const connection = adapter.getConnectionInfo();
    adapter.getConnectionInfo = () => ({ ...connection, schemaName: String(rows[0]?.[0]) });
    return adapter;
  }

  private async withBoundedTransactions() {
    const adapter = await super.connect();
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (level) => {
      const transaction = await startTransaction(level);
      // The adapter has begun it without a level unless a caller asks for one.
      const isolation = level === undefined ? 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ' : '';
      const sql = `${isolation}${setBounds(this.pool.bounds)}`;
      // Sent ahead of the first statement, which fails as well if this does: PostgreSQL aborts the transaction, or the connection is broken.
      transaction.executeRaw({ sql, args: [], argTypes: [] }).catch(() => undefined);
      return transaction;
    };
    return adapter;
  }
}
