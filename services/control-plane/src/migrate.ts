import { describeError } from './database/describe-error';
import { migrate } from './database/migrate';

/**
 * Migrates the database at DATABASE_DIRECT_URL, or else DATABASE_URL: prints a line for each migration applied; exit
 * code 1 on failure. Concurrent runs exclude each other by a session lock, which a transaction pooler cannot keep.
 */
async function main(): Promise<void> {
  const connectionString = process.env.DATABASE_DIRECT_URL || process.env.DATABASE_URL;
  if (!connectionString) throw new Error('DATABASE_URL is required');
  const applied = await migrate(connectionString, {
    onApplied: (name) => process.stdout.write(`applied ${name}\n`),
  });
  if (applied.length === 0) process.stdout.write('nothing to apply\n');
}

main().catch((error: unknown) => {
  process.stderr.write(`migration failed: ${describeError(error)}\n`);
  process.exitCode = 1;
});
