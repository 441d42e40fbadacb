import type { SubjectBuckets } from '@multi-drm/contracts';

/** Returns the buckets of viewers as they are published. Throws or rejects if they are not known. */
export type CurrentBuckets = () => SubjectBuckets | Promise<SubjectBuckets>;
