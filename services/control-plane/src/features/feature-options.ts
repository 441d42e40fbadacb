import type { Database } from '../database/database';
import type { Changes } from '../records/changes';

/** What the features are composed from. A feature adds to it what it alone needs. */
export interface FeatureOptions {
  database: Database;
  changes: Changes;
  now: () => Date;
}
