import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChangedDocument } from './publish-document';

const collected = new AsyncLocalStorage<ChangedDocument[]>();

/**
 * Runs what answers a request. Resolves to its result and to the documents that it marked as changed, without those among
 * very many (`bulk`). Async context carries them, so that no store and no service has to pass them on, or can forget to.
 */
export async function collectChanges<Result>(
  handle: () => Promise<Result>,
): Promise<{ result: Result; documents: ChangedDocument[] }> {
  const documents: ChangedDocument[] = [];
  const result = await collected.run(documents, handle);
  return { result, documents };
}

/** Says that a document was marked. Outside of `collectChanges` it does nothing. */
export function noteChange(document: ChangedDocument): void {
  collected.getStore()?.push(document);
}
