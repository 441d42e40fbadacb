import type { RedisClient } from '@multi-drm/service-kit';
import { createDocumentWriter } from '../publishing/document-writer';
import { PublicationMark } from '../publishing/publication-mark';

/** Where documents are published, as in the service. */
export const publishingStore = (redis: RedisClient) => ({
  write: createDocumentWriter(redis),
  mark: new PublicationMark(redis),
});

/** For tests that write nothing to Redis. */
export const withoutMark = { begin: async () => async () => 1n, connections: 0 };
