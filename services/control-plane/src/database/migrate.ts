import { createHash, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { schemaOfUrl } from './database-url';
import { addPartitions } from './partitions';
import { prepareConnection } from './prepare-connection';

/** The same path from `src/database` and `dist/database`. */
const ownMigrations = join(__dirname, '..', '..', 'prisma', 'migrations');

/** The advisory lock that `prisma migrate deploy` takes, so that the two exclude each other. */
const lockId = 72_707_369;
const lockPollMilliseconds = 100;

/** The table in which `prisma migrate deploy` keeps its history, with the same columns. */
const createHistory = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the file, in hex. */
  checksum: string;
}

interface HistoryRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

export interface MigrateOptions {
  /** Contains a folder with a `migration.sql` for each migration; they are applied in the order of the folder names. */
  directory?: string;
  /** How long to wait for another process that is migrating the same database. */
  lockWaitMilliseconds?: number;
  /** For how many days after today partitions are added. */
  partitionDaysAhead?: number;
  /** Called with the schema of the tables before anything is applied. */
  onSchema?: (schema: string) => void;
  /** Called after each committed migration. */
  onApplied?: (name: string) => void;
}

/**
 * Brings a database to the current schema and returns the names of the migrations applied, each in its own transaction. Then adds the
 * partitions of the next days, which the role of the service may not be allowed to.
 * Safe to run from several processes at the same time and repeatedly; `prisma migrate deploy` can take over from it. Rejects,
 * and applies nothing more, if the database is unusable (`prepareConnection`) or was created before the first release, or
 * if a migration fails, failed earlier, or was edited after it was applied.
 */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<string[]> {
  const { directory = ownMigrations, lockWaitMilliseconds = 60_000, partitionDaysAhead, onSchema, onApplied } = options;
  const migrations = await readMigrations(directory);
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  // Without a listener, a broken connection would end the process; the running query rejects with the same error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { schema } = await prepareConnection(client, schemaOfUrl(connectionString));
    onSchema?.(schema);
    // As in the service: only this one, so that it does not depend on what else is created later.
    await client.query(`SET search_path = ${client.escapeIdentifier(schema)}`);
    await client.query('SET statement_timeout = 0'); // a migration of many records takes longer than hosts allow by default
    await takeLock(client, lockWaitMilliseconds);
    await client.query(createHistory);
    const pending = pendingMigrations(migrations, await readHistory(client));
    for (const migration of pending) {
      await apply(client, migration);
      onApplied?.(migration.name);
    }
    // The migrations of a test may lack the tables.
    if (directory === ownMigrations) await inTransaction(client, () => addPartitions(client, partitionDaysAhead));
    return pending.map(({ name }) => name);
  } finally {
    await client.end(); // releases the lock as well
  }
}

/** The names of the migrations of this release, in their order. */
export function shippedMigrations(directory = ownMigrations): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

async function readMigrations(directory: string): Promise<Migration[]> {
  return Promise.all(
    shippedMigrations(directory).map(async (name) => {
      const file = await readFile(join(directory, name, 'migration.sql'));
      return { name, sql: file.toString('utf8'), checksum: createHash('sha256').update(file).digest('hex') };
    }),
  );
}

/** Polls instead of waiting inside a statement, which would block `CREATE INDEX CONCURRENTLY`. */
async function takeLock(client: Client, waitMilliseconds: number): Promise<void> {
  for (let waited = 0; ; waited += lockPollMilliseconds) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [lockId]);
    if (rows[0]?.taken) return;
    if (waited >= waitMilliseconds) {
      throw new Error(`another process has been migrating this database for more than ${waitMilliseconds} ms`);
    }
    await delay(lockPollMilliseconds);
  }
}

async function readHistory(client: Client): Promise<HistoryRow[]> {
  const { rows } = await client.query<HistoryRow>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  return rows;
}

/**
 * The migrations that the history lacks. Migrations found only in the history belong to a newer release and are
 * ignored, unless the first one of this release is not in it.
 */
function pendingMigrations(migrations: Migration[], history: HistoryRow[]): Migration[] {
  const failed = history.find(({ finished_at }) => finished_at === null);
  if (failed) throw new Error(`migration ${failed.migration_name} failed earlier; resolve it first`);
  const checksums = new Map(history.map((row) => [row.migration_name, row.checksum]));
  const [first] = migrations;
  if (first !== undefined && history.length > 0 && !checksums.has(first.name)) {
    throw new Error(
      'this database was created before the first release: ' +
        'drop it, create it again and empty Redis (with npm start: delete the folder .local)',
    );
  }
  return migrations.filter(({ name, checksum }) => {
    const applied = checksums.get(name);
    if (applied !== undefined && applied !== checksum) {
      throw new Error(`migration ${name} was edited after it was applied`);
    }
    return applied === undefined;
  });
}

/** If the work fails, the caller ends the connection next, which rolls the transaction back. */
async function inTransaction(client: Client, work: () => Promise<unknown>): Promise<void> {
  await client.query('BEGIN');
  await work();
  await client.query('COMMIT');
}

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await inTransaction(client, async () => {
      await client.query(sql);
      await client.query(
        `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
         VALUES ($1, $2, clock_timestamp(), $3, 1)`,
        [randomUUID(), checksum, name],
      );
    });
  } catch (error) {
    throw new Error(`migration ${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
