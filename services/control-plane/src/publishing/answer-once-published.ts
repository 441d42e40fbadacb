import type { Endpoint } from '@multi-drm/service-kit';
import { collectChanges } from './changes-of-request';
import type { ChangedDocument } from './publish-document';

/** What the answers of changes need of the publisher. */
export interface Publication {
  /** Resolves once the committed changes of these documents are in Redis, or it is not worth waiting longer. Never rejects. */
  whenPublished(documents: ChangedDocument[]): Promise<void>;
}

/**
 * Viewers are synchronized by the thousands, one call after the other. A viewer of whom playback has not heard yet plays
 * as an active one.
 */
const notWaitedFor = new Set(['synchronizeEndUser']);

/** Lets an endpoint that changes something answer once playback can act on the change. The answer stays the same. */
export function answerOncePublished<Access, Context>(
  endpoint: Endpoint<Access, Context>,
  publisher: Publication,
): Endpoint<Access, Context> {
  if (notWaitedFor.has(endpoint.operationId)) return endpoint;
  return {
    ...endpoint,
    async handle(input) {
      const { result, documents } = await collectChanges(() => endpoint.handle(input));
      await publisher.whenPublished(documents);
      return result;
    },
  };
}
