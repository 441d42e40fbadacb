import type { Transaction } from '../database/database';

/** A create that the caller may retry: the same key and body return the same record. */
export interface IdempotencyClaim {
  caller: string;
  /** Operation and path. */
  route: string;
  key: string;
  /** SHA-256 of the canonical body, in hex. */
  requestHash: string;
}

/** How long a key is remembered, in milliseconds. */
const retention = 24 * 60 * 60 * 1000;

const noRecord = '00000000-0000-0000-0000-000000000000';

/** Deletes a few expired claims, without waiting for locks. */
export async function forgetOldClaims(transaction: Transaction, now: Date): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM idempotent_create WHERE (caller, route, key) IN (
      SELECT caller, route, key FROM idempotent_create
      WHERE created_at < ${new Date(now.getTime() - retention)}
      LIMIT 20 FOR UPDATE SKIP LOCKED)`;
}

/** True if the claim now belongs to this transaction. Waits for another transaction that holds it. */
export async function takeClaim(
  transaction: Transaction,
  { caller, route, key, requestHash }: IdempotencyClaim,
  now: Date,
): Promise<boolean> {
  const taken = await transaction.$executeRaw`
    INSERT INTO idempotent_create (caller, route, key, request_hash, record_id, created_at)
    VALUES (${caller}, ${route}, ${key}, ${requestHash}, ${noRecord}::uuid, ${now})
    ON CONFLICT (caller, route, key) DO UPDATE
      SET request_hash = excluded.request_hash, created_at = excluded.created_at
      WHERE idempotent_create.created_at < ${new Date(now.getTime() - retention)}`;
  return taken === 1;
}

/** Notes the record that was created under a claim. */
export async function noteCreated(
  transaction: Transaction,
  { caller, route, key }: IdempotencyClaim,
  recordId: string,
): Promise<void> {
  await transaction.idempotentCreate.update({
    where: { caller_route_key: { caller, route, key } },
    data: { recordId },
  });
}

/** What an earlier request created with the same key, and the hash of its body. */
export async function readEarlierCreate(
  transaction: Transaction,
  { caller, route, key }: IdempotencyClaim,
): Promise<{ recordId: string; requestHash: string }> {
  return transaction.idempotentCreate.findUniqueOrThrow({ where: { caller_route_key: { caller, route, key } } });
}
