import type { Endpoint } from '@multi-drm/service-kit';
import { collectChanges } from './changes-of-request';
import type { ChangedDocument } from './publish-document';

/** The part of the publisher that the endpoints of changes need. */
export interface Publication {
  /**
   * Resolves once the committed changes of these documents are in Redis, or waiting longer is not worth it. Never
   * rejects.
   */
  whenPublished(documents: ChangedDocument[]): Promise<void>;
}

/**
 * Viewers are synchronized by the thousands, one request after the other. Playback treats a viewer it does not know yet
 * as an active one.
 */
const notWaitedFor = new Set(['synchronizeEndUser']);

/**
 * Delays the response of an endpoint that changes something until playback can act on the change. The response itself
 * stays the same.
 */
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
