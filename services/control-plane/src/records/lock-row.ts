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
