import type { Transaction } from '../database/database';
import type { OrganizationStatus } from '../generated/prisma/client';

/**
 * `shared`: concurrent with other changes of the organization. `exclusive`: after those in progress and before those
 * that follow.
 */
export type LockMode = 'shared' | 'exclusive';

/**
 * Locks an organization until the transaction ends, against changes that end the rights of its callers. It must be the
 * first lock of a transaction, and never be taken again in the other mode, so that it takes part in no deadlock. An
 * advisory lock, because those are granted in order: a row that is held by one change after another (`FOR SHARE`) would
 * never be free for the change that suspends a busy organization.
 */
export async function lockOrganization(
  transaction: Transaction,
  organizationId: string,
  mode: LockMode,
): Promise<void> {
  const name = `organization ${organizationId}`;
  // $executeRaw: Prisma cannot read the return type of these functions.
  if (mode === 'exclusive') await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  else await transaction.$executeRaw`SELECT pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`;
}

/** What decides whether a caller may still change something of an organization. */
export interface TenantState {
  status: OrganizationStatus;
  /** Whether the key was revoked or replaced. */
  keyEnded: boolean;
}

/**
 * Undefined if there is no such organization. A key that was rotated without an overlap ended with the rotation; a key
 * that merely expired did not end, because the request was sent before that.
 */
export async function readTenantState(
  transaction: Transaction,
  organizationId: string,
  keyId: string | null,
): Promise<TenantState | undefined> {
  const [found] = await transaction.$queryRaw<TenantState[]>`
    SELECT status::text, coalesce(revoked_at IS NOT NULL OR expires_at <= replaced_at, false) AS "keyEnded"
    FROM organization LEFT JOIN management_key ON management_key.id = ${keyId}::uuid
    WHERE organization.id = ${organizationId}::uuid`;
  return found;
}
