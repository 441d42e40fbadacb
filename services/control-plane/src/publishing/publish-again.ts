import type { Database } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import type { PublicationMark } from './publication-mark';

/**
 * Runs a transaction that publishes these records, and has them published again if the connection to Redis was lost before it was
 * committed. Redis may then have lost its documents together with its mark, and `LostPublications`, which reads only what is committed,
 * may have missed it.
 */
export async function publishAgainIfDisconnected<Result>(
  database: Database,
  mark: Pick<PublicationMark, 'connections'>,
  documentKind: DocumentKind,
  ids: string[],
  publish: () => Promise<Result>,
): Promise<Result> {
  const { connections } = mark;
  const result = await publish();
  if (mark.connections !== connections) {
    const bulk = ids.length > 1;
    await database.outboxEntry.createMany({ data: ids.map((documentId) => ({ documentKind, documentId, bulk })) });
  }
  return result;
}
