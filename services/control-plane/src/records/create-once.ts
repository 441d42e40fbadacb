import { Problem } from '@multi-drm/contracts';
import type { Transaction } from '../database/database';
import {
  forgetOldClaims,
  type IdempotencyClaim,
  noteCreated,
  readEarlierCreate,
  takeClaim,
} from '../stores/idempotency-claims';
import type { OpenChange } from './open-change';

/** The record created now, or the id of the one that an earlier request with the same key created. */
export type CreatedOnce<Created> = { created: Created } | { repeatedId: string };

/**
 * Runs a create once for each claim, which is taken before the record is created, so that of concurrent equal requests
 * one creates, and the others wait for it and find its record. Without a claim, it just creates. Throws
 * `idempotency_key_reused` if the key was used with another body.
 */
export async function createOnce<Created extends { id: string }>(
  { transaction, now }: OpenChange,
  claim: IdempotencyClaim | undefined,
  create: () => Promise<Created>,
): Promise<CreatedOnce<Created>> {
  if (claim === undefined) return { created: await create() };
  await forgetOldClaims(transaction, now);
  if (!(await takeClaim(transaction, claim, now))) return { repeatedId: await earlierRecord(transaction, claim) };
  const created = await create();
  await noteCreated(transaction, claim, created.id);
  return { created };
}

async function earlierRecord(transaction: Transaction, claim: IdempotencyClaim): Promise<string> {
  const earlier = await readEarlierCreate(transaction, claim);
  if (earlier.requestHash === claim.requestHash) return earlier.recordId;
  throw new Problem('idempotency_key_reused', 'The Idempotency-Key was already used with another body.');
}
