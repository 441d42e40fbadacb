import type { Database } from './database';

/**
 * Rejects on a standby, and where writes are disabled, as some systems do when their disk is full. It fails as a write would, so that the
 * connection is discarded; see `ReadOnlyConnections`.
 */
export async function requireWritable(database: Database): Promise<void> {
  await database.$executeRaw`
    DO $$ BEGIN
      IF current_setting('transaction_read_only')::bool THEN
        RAISE read_only_sql_transaction USING MESSAGE = 'the database accepts no writes';
      END IF;
    END $$`;
}
