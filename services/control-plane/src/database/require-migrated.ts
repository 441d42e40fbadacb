import type { Database } from './database';
import { isDatabaseUnavailable } from './database-unavailable';

/**
 * Rejects unless every one of these migrations is applied. Others are accepted: a newer release has applied them, and works with this one
 * until it ends.
 */
export async function requireMigrated(database: Database, migrations: readonly string[]): Promise<void> {
  const applied = await appliedMigrations(database);
  const missing = migrations.filter((name) => !applied.has(name));
  if (missing.length > 0) throw notMigrated(`${missing.join(', ')} is missing`);
}

async function appliedMigrations(database: Database): Promise<ReadonlySet<string>> {
  try {
    const rows = await database.$queryRaw<{ name: string }[]>`
      SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    throw notMigrated('it has no migrations', error);
  }
}

const notMigrated = (what: string, cause?: unknown) =>
  new Error(`the database is not migrated to this release: ${what}; run node dist/migrate.js`, { cause });
