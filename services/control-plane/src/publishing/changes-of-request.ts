import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChangedDocument } from './publish-document';

const collected = new AsyncLocalStorage<ChangedDocument[]>();

/**
 * Runs the handler of a request. Resolves to its result and to the documents for which it added outbox entries, except
 * bulk entries. Async context carries them, so that stores and services do not have to pass them on.
 */
export async function collectChanges<Result>(
  handle: () => Promise<Result>,
): Promise<{ result: Result; documents: ChangedDocument[] }> {
  const documents: ChangedDocument[] = [];
  const result = await collected.run(documents, handle);
  return { result, documents };
}

/** Reports a new outbox entry. Does nothing outside of `collectChanges`. */
export function noteChange(document: ChangedDocument): void {
  collected.getStore()?.push(document);
}
