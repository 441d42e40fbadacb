import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool, QueryArrayConfig, QueryArrayResult } from 'pg';

/** How long PostgreSQL lets a statement run, and a transaction wait for its next statement, in milliseconds. */
export interface StatementBounds {
  statementMilliseconds: number;
  idleInTransactionMilliseconds: number;
}

/**
 * `SET LOCAL`, which ends with the transaction: behind a pooler the next transaction on a connection may be another
 * process's, and start-up parameters are refused (PgBouncer, `ignore_startup_parameters`).
 */
function setBounds({ statementMilliseconds, idleInTransactionMilliseconds }: StatementBounds): string {
  return `SET LOCAL statement_timeout = ${statementMilliseconds};
    SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMilliseconds}`;
}

/** The pool's `query`, as the adapter calls it for a statement outside of any transaction: bounded, in a transaction of its own. */
export function runAlone(
  pool: Pool,
  bounds: StatementBounds,
): (statement: QueryArrayConfig) => Promise<QueryArrayResult> {
  const begin = `BEGIN; ${setBounds(bounds)}`;
  return async (statement) => {
    const client = await pool.connect();
    // Without a listener a broken connection would end the process; the query under way rejects with the same error.
    const ignore = () => undefined;
    client.on('error', ignore);
    let failed = true;
    try {
      await client.query(begin);
      const result = await client.query(statement);
      await client.query('COMMIT');
      failed = false;
      return result;
    } finally {
      client.off('error', ignore);
      client.release(failed); // one that failed is ended, as by the pool's own `query`
    }
  };
}

/** Prisma's adapter, with bounds for the statements of its transactions. */
export class BoundedAdapter extends PrismaPg {
  constructor(
    pool: Pool,
    private readonly bounds: StatementBounds,
    options: ConstructorParameters<typeof PrismaPg>[1],
  ) {
    super(pool, options);
  }

  override async connect() {
    const adapter = await super.connect();
    const startTransaction: typeof adapter.startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => {
      const transaction = await startTransaction(isolationLevel);
      try {
        await transaction.executeRaw({ sql: setBounds(this.bounds), args: [], argTypes: [] });
      } catch (error) {
        await transaction.rollback(); // gives the connection back to the pool, which ends it
        throw error;
      }
      return transaction;
    };
    return adapter;
  }
}
