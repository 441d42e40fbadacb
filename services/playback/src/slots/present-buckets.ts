import type { SubjectBuckets } from '@multi-drm/contracts';

/** Returns the buckets of viewers as they are published now. Throws or rejects if nothing can be used that is published. */
export type PresentBuckets = () => SubjectBuckets | Promise<SubjectBuckets>;
