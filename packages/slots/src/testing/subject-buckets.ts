import { SubjectBuckets } from '@multi-drm/contracts';

/** The key of the buckets in everything that the tests publish, because the suites share one Redis. */
export const subjectHashKey = Buffer.alloc(32, 'subject hash key').toString('base64url');

/** The buckets of the tests' viewers. */
export const buckets = new SubjectBuckets(subjectHashKey);
