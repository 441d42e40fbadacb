import type { Database } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';

/**
 * Records further keys of published records, by record. Keys are recorded before anything is written under them, so that
 * a record deleted after an attempt that reached Redis but failed to commit is still removed from Redis.
 */
export async function recordKeys(
  database: Database,
  documentKind: DocumentKind,
  unrecorded: Map<string, string[]>,
): Promise<void> {
  if (unrecorded.size === 0) return;
  const added = JSON.stringify(Array.from(unrecorded, ([id, keys]) => ({ id, keys })));
  await database.$executeRaw`
    UPDATE published_document
    SET keys = ARRAY(SELECT DISTINCT unnest(published_document.keys || ARRAY(SELECT jsonb_array_elements_text(added -> 'keys'))))
    FROM jsonb_array_elements(${added}::jsonb) AS added
    WHERE document_kind = ${documentKind}::document_kind AND document_id = (added ->> 'id')::uuid`;
}
