import { Prisma } from '../generated/prisma/client';

/**
 * Locks a record's row until the transaction ends. What later statements of the transaction read of the record, and of
 * the records that hold a lock on it (`FOR SHARE`), stays true until then.
 */
export async function lockRow(
  transaction: Prisma.TransactionClient,
  table:
    | 'organization'
    | 'project'
    | 'environment'
    | 'rights'
    | 'license_profile'
    | 'content_asset'
    | 'end_user'
    | 'api_client',
  id: string,
): Promise<void> {
  await transaction.$queryRaw`SELECT 1 FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid FOR UPDATE`;
}

/** Whether the project has this record and it is active; if so, it stays active until the transaction ends. */
export async function lockActive(
  transaction: Prisma.TransactionClient,
  table: 'rights' | 'license_profile',
  projectId: string,
  id: string,
): Promise<boolean> {
  const found = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM ${Prisma.raw(table)}
    WHERE id = ${id}::uuid AND project_id = ${projectId}::uuid AND status = 'active'
    FOR SHARE`;
  return found.length > 0;
}
