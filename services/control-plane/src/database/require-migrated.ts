import type { Database } from './database';

/**
 * Rejects unless every one of these migrations is applied. Others are accepted: a newer release has applied them, and works with this one
 * until it ends.
 */
export async function requireMigrated(database: Database, migrations: readonly string[]): Promise<void> {
  const applied = await database.$queryRaw<{ name: string }[]>`
    SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;
  const names = new Set(applied.map(({ name }) => name));
  const missing = migrations.filter((name) => !names.has(name));
  if (missing.length > 0) throw new Error(`migrations are not applied: ${missing.join(', ')}`);
}
