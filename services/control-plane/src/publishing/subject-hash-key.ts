import { SubjectBuckets } from '@multi-drm/contracts';
import type { Database, Transaction } from '../database/database';

/**
 * Reads the key of the viewers' buckets, in base64url. Read each time, so that it is always the database's, even if
 * another database was restored.
 */
export async function readSubjectHashKey(database: Database | Transaction): Promise<string> {
  const row = await database.subjectHashKey.findFirst();
  if (row?.key == null) throw new Error('the database has no key for the buckets of viewers');
  return Buffer.from(row.key).toString('base64url');
}

/** Reads the buckets of viewers. */
export async function readSubjectBuckets(database: Database | Transaction): Promise<SubjectBuckets> {
  return new SubjectBuckets(await readSubjectHashKey(database));
}
