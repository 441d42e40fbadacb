import type { Transaction } from '../database/database';
import { Prisma } from '../generated/prisma/client';

/**
 * Locks a record's row until the transaction ends. What later statements of the transaction read of the record, and of
 * the records that hold a lock on it (`FOR SHARE`), stays true until then.
 */
export async function lockRow(
  transaction: Transaction,
  table:
    | 'organization'
    | 'project'
    | 'environment'
    | 'rights'
    | 'license_profile'
    | 'content_asset'
    | 'end_user'
    | 'api_client'
    | 'webhook_endpoint'
    | 'management_key',
  id: string,
): Promise<void> {
  await transaction.$queryRaw`SELECT 1 FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid FOR UPDATE`;
}

/** Whether the project has this record and it is active; if so, it stays active until the transaction ends. */
export async function lockActive(
  transaction: Transaction,
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

/** The status of a record, which keeps it until the transaction ends. Undefined if there is no such record. */
export async function lockStatus(
  transaction: Transaction,
  table: 'organization' | 'project' | 'environment',
  id: string,
): Promise<string | undefined> {
  const [found] = await transaction.$queryRaw<{ status: string }[]>`
    SELECT status::text FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid FOR SHARE`;
  return found?.status;
}

/** The status of a record's parent, which keeps it until the transaction ends. Undefined if there is no such record. */
export async function lockStatusOfParent(
  transaction: Transaction,
  parent: 'project' | 'environment',
  table: 'rights' | 'license_profile' | 'end_user' | 'api_client' | 'webhook_endpoint' | 'content_asset',
  id: string,
): Promise<string | undefined> {
  const [found] = await transaction.$queryRaw<{ status: string }[]>`
    SELECT status::text FROM ${Prisma.raw(parent)}
    WHERE id = (SELECT ${Prisma.raw(`${parent}_id`)} FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid) FOR SHARE`;
  return found?.status;
}
