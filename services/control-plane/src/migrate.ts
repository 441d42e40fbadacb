import { migrate } from './database/migrate';

/** Says what went wrong; a host with several addresses fails with one error for each and no message of its own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describe).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Migrates the database at DATABASE_URL: a line for each migration applied; exit code 1 on failure. */
async function main(): Promise<void> {
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) throw new Error('DATABASE_URL is required');
  const applied = await migrate(connectionString, {
    onApplied: (name) => process.stdout.write(`applied ${name}\n`),
  });
  if (applied.length === 0) process.stdout.write('nothing to apply\n');
}

main().catch((error: unknown) => {
  process.stderr.write(`migration failed: ${describe(error)}\n`);
  process.exitCode = 1;
});
