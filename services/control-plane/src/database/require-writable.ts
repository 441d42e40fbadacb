import type { Database } from './database';

/** Rejects on a standby, and where writes are disabled, as some systems do when their disk is full. */
export async function requireWritable(database: Database): Promise<void> {
  const [row] = await database.$queryRaw<{ readOnly: string }[]>`
    SELECT current_setting('transaction_read_only') AS "readOnly"`;
  if (row?.readOnly !== 'off') throw new Error('the database accepts no writes');
}
