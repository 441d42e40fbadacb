import { Problem } from '@multi-drm/contracts';
import type { Database, Transaction } from '../database/database';
import {
  forgetOldClaims,
  type IdempotencyClaim,
  noteCreated,
  readEarlierCreate,
  takeClaim,
} from '../stores/idempotency-claims';
import type { Change } from './change';
import { runChange } from './run-change';

/** The record created now, or the id of the one that an earlier request with the same key created. */
export type CreatedOnce<Created> = { created: Created } | { repeatedId: string };

/**
 * Runs a create in one transaction, once for each claim. The claim is taken before the record is created, so that of
 * concurrent equal requests one creates, and the others wait for it and find its record. Without a claim, it just
 * creates. Throws `idempotency_key_reused` if the key was used with another body.
 */
export async function createOnce<Created extends { id: string }>(
  database: Database,
  { actor, claim }: Change,
  now: Date,
  create: (transaction: Transaction) => Promise<Created>,
): Promise<CreatedOnce<Created>> {
  return runChange(database, actor, 'shared', async (transaction) => {
    if (claim === undefined) return { created: await create(transaction) };
    await forgetOldClaims(transaction, now);
    if (!(await takeClaim(transaction, claim, now))) return { repeatedId: await earlierRecord(transaction, claim) };
    const created = await create(transaction);
    await noteCreated(transaction, claim, created.id);
    return { created };
  });
}

async function earlierRecord(transaction: Transaction, claim: IdempotencyClaim): Promise<string> {
  const earlier = await readEarlierCreate(transaction, claim);
  if (earlier.requestHash === claim.requestHash) return earlier.recordId;
  throw new Problem('idempotency_key_reused', 'The Idempotency-Key was already used with another body.');
}
