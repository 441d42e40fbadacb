import type { Database } from '../database/database';
import type { PrismaClient } from '../generated/prisma/client';
import type { Changes } from '../records/changes';

/** What the features are composed from. A feature adds to it what it alone needs. */
export interface FeatureOptions {
  prisma: PrismaClient;
  /** Notified after each change, so that playback learns of it at once. */
  publisher: { wake(): void };
  database: Database;
  changes: Changes;
  now: () => Date;
}
