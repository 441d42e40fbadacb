import { Problem } from '@multi-drm/contracts';
import type { Prisma, PrismaClient } from '../generated/prisma/client';
import type { Change, IdempotencyClaim } from './change';
import { runChange } from './change-store';

/** How long a key is remembered, in milliseconds. */
const retention = 24 * 60 * 60 * 1000;

const noRecord = '00000000-0000-0000-0000-000000000000';

/** The record that was made now, or the id of the one that an earlier request with the same key made. */
export type CreatedOnce<Created> = { created: Created } | { repeatedId: string };

/**
 * Runs a create in one transaction, once for each claim: the claim is taken before the record is made, so of any number
 * of equal requests at once one creates, and the others wait for it and find its record. Without a claim it just
 * creates. Throws `idempotency_key_reused` where the key came with another body.
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

/** Keeps the table as short as its retention, a few rows at each create, without waiting for anybody. */
async function forgetOldClaims(transaction: Prisma.TransactionClient, now: Date): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM idempotent_create WHERE (caller, route, key) IN (
      SELECT caller, route, key FROM idempotent_create
      WHERE created_at < ${new Date(now.getTime() - retention)}
      LIMIT 20 FOR UPDATE SKIP LOCKED)`;
}

/** True where the claim is now this transaction's. Waits for another transaction that holds it. */
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
  throw new Problem('idempotency_key_reused', 'The Idempotency-Key came before with another body.');
}
