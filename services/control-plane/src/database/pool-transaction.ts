import type { ClientBase, Pool } from 'pg';

interface TransactionBound {
  /** How long the transaction may last until its COMMIT, by the clock of the database; one that took longer is rolled back. */
  milliseconds?: number;
}

/**
 * Runs work in a transaction on a connection of a pool of `createConnectionPool`. If the work rejects, so does this, and nothing took
 * effect: the pool ends connections that are returned inside a transaction. The pool bounds each statement, `milliseconds` all together.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: ClientBase) => Promise<Result>,
  { milliseconds }: TransactionBound = {},
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query({ text: 'BEGIN' }); // in this form the pool adds the time limits and the schema
    const result = await work(client);
    await client.query(milliseconds === undefined ? 'COMMIT' : `${requireWithin(milliseconds)}; COMMIT`);
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
