import { SubjectBuckets } from '@multi-drm/contracts';
import type { Catalog } from './catalog';
import { notComplete } from './not-complete';

/**
 * Returns the published buckets of viewers. If no published document can be used, returns the last known buckets: their key stays the same
 * when Redis is emptied, and players must still be able to release their sessions. All other calls also need documents and are refused
 * without them. Rejects with the problem `service_unavailable` if this process has never read the buckets. The sweep asks for them every
 * second.
 */
export function knownBuckets(catalog: Pick<Catalog, 'deployment'>): () => Promise<SubjectBuckets> {
  let known: SubjectBuckets | undefined;
  return async () => {
    const deployment = await catalog.deployment();
    if (deployment !== null && !known?.hasKey(deployment.subjectHashKey)) {
      known = new SubjectBuckets(deployment.subjectHashKey);
    }
    if (known === undefined) throw notComplete();
    return known;
  };
}
