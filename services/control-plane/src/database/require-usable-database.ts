import { SettingsError } from '@multi-drm/service-kit';
import type { Database } from './database';
import { UnusableDatabase } from './prepare-connection';

/**
 * Connects, and rejects with a `SettingsError` if the database answers and cannot be used. An unavailable one is checked when it is back:
 * until its operator has changed it, calls get 503.
 */
export async function requireUsableDatabase(database: Database): Promise<void> {
  await database.$connect().catch((error: unknown) => {
    if (error instanceof UnusableDatabase) throw new SettingsError([`DATABASE_URL: ${error.message}`]);
  });
}
