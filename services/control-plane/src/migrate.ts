import { commandOptions } from '@multi-drm/service-kit/command-arguments';
import { databaseUrlMessage, isDatabaseUrl } from './database/database-url';
import { describeError } from './database/describe-error';
import { migrate } from './database/migrate';

const usage = `usage: node dist/migrate.js
Migrates the database to the current tables. Prints the schema, and a line for each migration that was applied.
Settings: DATABASE_DIRECT_URL, or else DATABASE_URL.`;

/**
 * Migrates the database at DATABASE_DIRECT_URL, or else DATABASE_URL: prints the schema and a line for each migration
 * applied; exit code 1 on failure. Concurrent runs exclude each other by a session lock, which a transaction pooler cannot keep.
 */
async function main(): Promise<void> {
  const name = process.env.DATABASE_DIRECT_URL ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const connectionString = process.env[name];
  if (!connectionString) throw new Error('DATABASE_URL is required');
  // Not with the settings of the service, which would load all that it consists of.
  if (!isDatabaseUrl(connectionString)) throw new Error(`${name} ${databaseUrlMessage}`);
  const applied = await migrate(connectionString, {
    onSchema: (schema) => process.stdout.write(`schema ${schema}\n`),
    onApplied: (name) => process.stdout.write(`applied ${name}\n`),
  });
  if (applied.length === 0) process.stdout.write('nothing to apply\n');
}

commandOptions({ usage, settings: ['DATABASE_DIRECT_URL', 'DATABASE_URL'] });
main().catch((error: unknown) => {
  process.stderr.write(`migration failed: ${describeError(error)}\n`);
  process.exitCode = 1;
});
