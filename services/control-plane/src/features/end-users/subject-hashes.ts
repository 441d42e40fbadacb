import type { Transaction } from '../../database/database';
import { readSubjectBuckets } from '../../publishing/subject-hash-key';
import { listEnvironmentIds, type SubjectHashes } from '../../stores/erasures';

/** Returns the hashes of a viewer in its project and in each of its environments. */
export async function readSubjectHashes(
  transaction: Transaction,
  projectId: string,
  subject: string,
): Promise<SubjectHashes> {
  const buckets = await readSubjectBuckets(transaction);
  const environmentIds = await listEnvironmentIds(transaction, projectId);
  return {
    projectHash: buckets.hashOf(projectId, subject),
    environmentHashes: Object.fromEntries(environmentIds.map((id) => [id, buckets.hashOf(id, subject)])),
  };
}
