import { Health } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { requireWritable } from '../../database/require-writable';

/**
 * Ready while PostgreSQL answers and accepts writes. Redis is not required: without it, changes are still accepted, and
 * published once it is back.
 */
export function createHealth(database: Database, version: string, timeoutMilliseconds?: number): Health {
  return new Health({
    service: 'control-plane',
    version,
    checks: { postgresql: () => requireWritable(database) },
    ...(timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds }),
  });
}
