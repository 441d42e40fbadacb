import { Problem } from '@multi-drm/contracts';
import type { Prisma, PrismaClient } from '../generated/prisma/client';
import type { Change, IdempotencyClaim } from './change';
import { runChange } from './run-change';

/** How long a key is remembered, in milliseconds. */
const retention = 24 * 60 * 60 * 1000;

const noRecord = '00000000-0000-0000-0000-000000000000';

/** The record created now, or the id of the one that an earlier request with the same key created. */
export type CreatedOnce<Created> = { created: Created } | { repeatedId: string };

/**
 * Runs a create in one transaction, once for each claim. The claim is taken before the record is created, so that of
 * concurrent equal requests one creates, and the others wait for it and find its record. Without a claim, it just
 * creates. Throws `idempotency_key_reused` if the key was used with another body.
 */
export async function createOnce<Created extends { id: string }>(
  prisma: PrismaClient,
  { actor, claim }: Change,
  now: Date,
  create: (transaction: Prisma.TransactionClient) => Promise<Created>,
): Promise<CreatedOnce<Created>> {
  return runChange(prisma, actor, async (transaction) => {
    if (claim === undefined) return { created: await create(transaction) };
    const { caller, route, key } = claim;
    await forgetOldClaims(transaction, now);
    if (!(await takeClaim(transaction, claim, now))) return { repeatedId: await earlierRecord(transaction, claim) };
    const created = await create(transaction);
    await transaction.idempotentCreate.update({
      where: { caller_route_key: { caller, route, key } },
      data: { recordId: created.id },
    });
    return { created };
  });
}

/** Deletes a few expired rows with each create, without waiting for locks. */
async function forgetOldClaims(transaction: Prisma.TransactionClient, now: Date): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM idempotent_create WHERE (caller, route, key) IN (
      SELECT caller, route, key FROM idempotent_create
      WHERE created_at < ${new Date(now.getTime() - retention)}
      LIMIT 20 FOR UPDATE SKIP LOCKED)`;
}

/** True if the claim now belongs to this transaction. Waits for another transaction that holds it. */
async function takeClaim(
  transaction: Prisma.TransactionClient,
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

async function earlierRecord(
  transaction: Prisma.TransactionClient,
  { caller, route, key, requestHash }: IdempotencyClaim,
): Promise<string> {
  const earlier = await transaction.idempotentCreate.findUniqueOrThrow({
    where: { caller_route_key: { caller, route, key } },
  });
  if (earlier.requestHash === requestHash) return earlier.recordId;
  throw new Problem('idempotency_key_reused', 'The Idempotency-Key was already used with another body.');
}
