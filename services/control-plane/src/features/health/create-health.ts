import { Health, type Logger } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
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
    logger,
    checks: { postgresql: () => requireWritable(database), schema: () => requireMigrated(database, migrations) },
    ...(timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds }),
  });
}
