import type { ClientBase, Pool } from 'pg';

/**
 * Runs work in a transaction on a connection of a pool of `createConnectionPool`. If the work rejects, so does this, and nothing took
 * effect: the pool ends connections that are returned inside a transaction.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query({ text: 'BEGIN' }); // in this form the pool adds the time limits and the schema
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    client.release();
  }
}
