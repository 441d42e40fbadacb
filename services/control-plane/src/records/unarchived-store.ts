import { Problem } from '@multi-drm/contracts';
import { Prisma } from '../generated/prisma/client';

/**
 * Makes sure, inside the transaction that creates a record below this one, that this one is not archived, and does not
 * become so until the commit. Throws `conflict`.
 */
export async function requireUnarchived(
  transaction: Prisma.TransactionClient,
  table: 'organization' | 'project' | 'environment',
  id: string,
): Promise<void> {
  const [found] = await transaction.$queryRaw<{ status: string }[]>`
    SELECT status::text FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid FOR SHARE`;
  if (found?.status === 'archived') {
    throw new Problem('conflict', `The ${table} is archived: it can be read, not changed.`);
  }
}
