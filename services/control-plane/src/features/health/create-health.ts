import { Health, type Logger } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { isDatabaseUnavailable } from '../../database/database-unavailable';
import { requireMigrated } from '../../database/require-migrated';
import { requireWritable } from '../../database/require-writable';

interface HealthOptions {
  database: Database;
  /** The names of the migrations of this release. */
  migrations: readonly string[];
  version: string;
  logger: Logger;
  timeoutMilliseconds?: number;
}

/**
 * Ready while PostgreSQL answers and accepts writes, and its tables are those of this release. Redis is not required: without it, changes
 * are still accepted, and published once it is back.
 */
export function createHealth({ database, migrations, version, logger, timeoutMilliseconds }: HealthOptions): Health {
  return new Health({
    service: 'control-plane',
    version,
    checks: { postgresql: () => requireWritable(database), schema: schemaCheck(database, migrations, logger) },
    ...(timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds }),
  });
}

/** Logs once why the database cannot be used; that it is unavailable is logged elsewhere. */
function schemaCheck(database: Database, migrations: readonly string[], logger: Logger): () => Promise<void> {
  let logged = false;
  return async () => {
    try {
      await requireMigrated(database, migrations);
      logged = false;
    } catch (error) {
      if (!logged && !isDatabaseUnavailable(error)) {
        logger.warn('the database is not migrated to this release', { error });
        logged = true;
      }
      throw error;
    }
  };
}
