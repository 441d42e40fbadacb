import { Problem } from '@multi-drm/contracts';
import { Prisma } from '../generated/prisma/client';

/**
 * Checks, inside the transaction that creates or changes a child record, that this parent is not archived, and keeps it
 * so until the commit. Throws `conflict`.
 */
export async function requireUnarchived(
  transaction: Prisma.TransactionClient,
  table: 'organization' | 'project' | 'environment',
  id: string,
): Promise<void> {
  const [found] = await transaction.$queryRaw<{ status: string }[]>`
    SELECT status::text FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid FOR SHARE`;
  refuseArchived(found, table);
}

/**
 * Like `requireUnarchived`, for the parent of a record. Call it before locking the record's own row: rows are locked
 * from the top down, so that changes do not deadlock. `advice` ends the error text.
 */
export async function requireParentUnarchived(
  transaction: Prisma.TransactionClient,
  parent: 'project' | 'environment',
  table: 'rights' | 'license_profile' | 'end_user' | 'api_client' | 'content_asset',
  id: string,
  advice?: string,
): Promise<void> {
  const [found] = await transaction.$queryRaw<{ status: string }[]>`
    SELECT status::text FROM ${Prisma.raw(parent)}
    WHERE id = (SELECT ${Prisma.raw(`${parent}_id`)} FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid) FOR SHARE`;
  refuseArchived(found, parent, advice);
}

function refuseArchived(
  found: { status: string } | undefined,
  noun: string,
  advice = 'it can be read but not changed',
): void {
  if (found?.status !== 'archived') return;
  throw new Problem('conflict', `The ${noun} is archived: ${advice}.`);
}
