import { SubjectBuckets } from '@multi-drm/contracts';
import type { Catalog } from './catalog';
import { notComplete } from './not-complete';

/**
 * Returns the buckets of viewers as they are published now, or, if nothing can be used that is published, as they were last: the
 * key survives an emptied Redis, and players release their sessions meanwhile. Whatever else needs the buckets also needs documents,
 * and is refused without them. Rejects with the problem `service_unavailable` if this process has not seen any; the sweep
 * asks every second.
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
