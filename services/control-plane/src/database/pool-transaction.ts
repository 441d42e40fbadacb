import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { beginBounded } from './bounded-statements';
import type { BoundedPool } from './connection-pool';

interface TransactionBound {
  /** How long the transaction may last until its COMMIT, by the clock of the database; one that took longer is rolled back. */
  milliseconds?: number;
}

/**
 * Runs work in a transaction with the bounds of the pool. If the work rejects, so does this, and nothing took effect: the pool ends
 * connections that are returned inside a transaction. The pool bounds each statement, `milliseconds` all together.
 */
export async function inTransaction<Result>(
  pool: BoundedPool,
  work: (client: ClientBase) => Promise<Result>,
  { milliseconds }: TransactionBound = {},
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(beginBounded(pool.bounds));
    const result = await work(client);
    await client.query(milliseconds === undefined ? 'COMMIT' : `${requireWithin(milliseconds)}; COMMIT`);
    return result;
  } finally {
    client.release();
  }
}

/**
 * Runs one statement in a transaction with the bounds of the pool. BEGIN, statement and COMMIT are sent without waiting for answers, so it
 * takes one round trip. Rejects with the first error.
 */
export async function runAlone(pool: BoundedPool, statement: QueryConfig): Promise<QueryResult> {
  const client = await pool.connect();
  try {
    const begin = beginBounded(pool.bounds);
    const { stream } = client.connection;
    stream.cork(); // they leave in one packet
    const sent = [client.query(begin), client.query(statement), client.query('COMMIT')] as const;
    stream.uncork();
    await Promise.allSettled(sent); // a connection that waits for answers must not return to the pool
    const [, result] = await Promise.all(sent);
    return result;
  } finally {
    client.release();
  }
}

/**
 * A statement that fails as one does that ran too long. `transaction_timeout` needs PostgreSQL 17. It is sent together with the COMMIT, so
 * that nothing can delay the COMMIT after it.
 */
const requireWithin = (milliseconds: number): string => `
  DO $$ BEGIN
    IF clock_timestamp() > transaction_timestamp() + interval '${milliseconds} milliseconds' THEN
      RAISE query_canceled USING MESSAGE = 'the transaction took longer than ${milliseconds} ms';
    END IF;
  END $$`;
