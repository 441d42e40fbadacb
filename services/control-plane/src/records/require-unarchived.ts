import { Problem } from '@multi-drm/contracts';
import type { Transaction } from '../database/database';
import { lockStatus, lockStatusOfParent } from '../stores/lock-row';

/**
 * Checks, inside the transaction that creates or changes a child record, that this parent is not archived, and keeps it
 * so until the commit. Throws `conflict`.
 */
export async function requireUnarchived(
  transaction: Transaction,
  table: 'organization' | 'project' | 'environment',
  id: string,
): Promise<void> {
  refuseArchived(await lockStatus(transaction, table, id), table);
}

/**
 * Like `requireUnarchived`, for the parent of a record. Call it before locking the record's own row: rows are locked
 * from the top down, so that changes do not deadlock. `advice` ends the error text.
 */
export async function requireParentUnarchived(
  transaction: Transaction,
  parent: 'project' | 'environment',
  table: 'rights' | 'license_profile' | 'end_user' | 'api_client' | 'webhook_endpoint' | 'content_asset',
  id: string,
  advice?: string,
): Promise<void> {
  refuseArchived(await lockStatusOfParent(transaction, parent, table, id), parent, advice);
}

function refuseArchived(status: string | undefined, noun: string, advice = 'it can be read but not changed'): void {
  if (status !== 'archived') return;
  throw new Problem('conflict', `The ${noun} is archived: ${advice}.`);
}
