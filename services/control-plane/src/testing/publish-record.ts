import type { ChangedDocument } from '../publishing/changed-documents';
import { publishDocuments } from '../publishing/publish-documents';

/** Publishes one record; rejects if it fails. */
export async function publishRecord(
  options: Parameters<typeof publishDocuments>[0],
  { documentKind, documentId }: ChangedDocument,
): Promise<void> {
  const failed = await publishDocuments(options, documentKind, [documentId]);
  if (failed.has(documentId)) throw failed.get(documentId);
}
