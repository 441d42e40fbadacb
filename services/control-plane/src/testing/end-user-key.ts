import { publishedKeys } from '@multi-drm/contracts';
import type { Database } from '../database/database';
import { readSubjectBuckets } from '../publishing/subject-hash-key';

/** The Redis key under which an end user of this database is published. */
export async function endUserKey(database: Database, environmentId: string, subject: string): Promise<string> {
  const buckets = await readSubjectBuckets(database);
  return publishedKeys.endUser(environmentId, buckets.hashOf(environmentId, subject));
}
