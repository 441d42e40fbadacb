import { authenticationRequired } from '../access/authentication-required';
import { requireOpen } from '../access/require-open';
import { isDeadlock } from '../database/deadlock';
import type { OrganizationStatus, Prisma, PrismaClient } from '../generated/prisma/client';
import type { Actor } from './change';

/**
 * `shared`: concurrent with other changes of the organization. `exclusive`: after those in progress and before those
 * that follow.
 */
export type LockMode = 'shared' | 'exclusive';

/** Maximum number of attempts for a change that PostgreSQL aborts because of a deadlock. */
const mostAttempts = 4;

/** May run again if its transaction was aborted, so it must have no effects other than its result. */
type Make<Result> = (transaction: Prisma.TransactionClient) => Promise<Result>;

/**
 * Runs a change in one transaction, which first repeats the access check: is the organization still open to the change,
 * and is the management key still valid? Both stay so until the commit. Throws as the access check does.
 */
export async function runChange<Result>(prisma: PrismaClient, actor: Actor, make: Make<Result>): Promise<Result> {
  return run(prisma, actor, 'shared', make);
}

/**
 * Runs, like `runChange`, a change that ends what others rely on, such as a key or the organization's active status: it
 * waits for the changes in progress, so that none of them is acknowledged after it.
 */
export async function runExclusiveChange<Result>(
  prisma: PrismaClient,
  actor: Actor,
  make: Make<Result>,
): Promise<Result> {
  return run(prisma, actor, 'exclusive', make);
}

async function run<Result>(prisma: PrismaClient, actor: Actor, mode: LockMode, make: Make<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await prisma.$transaction(async (transaction) => {
        await lockTenantScope(transaction, actor, mode);
        return make(transaction);
      });
    } catch (error) {
      // All but one of the changes that waited for each other have proceeded: this one sees their results.
      if (attempt === mostAttempts || !isDeadlock(error)) throw error;
    }
  }
}

async function lockTenantScope(
  transaction: Prisma.TransactionClient,
  { kind, id, tenantScope }: Actor,
  mode: LockMode,
): Promise<void> {
  if (tenantScope === null) return; // a registration: there is no organization yet
  await lockOrganization(transaction, tenantScope.organizationId, mode);
  const keyId = kind === 'managementKey' ? id : null;
  // A separate statement, which sees what was committed while waiting for the lock. A key that was rotated without an
  // overlap ended with the rotation; a key that merely expired is accepted, because the request was sent before that.
  const [found] = await transaction.$queryRaw<{ status: OrganizationStatus; keyEnded: boolean | null }[]>`
    SELECT status::text, revoked_at IS NOT NULL OR expires_at <= replaced_at AS "keyEnded"
    FROM organization LEFT JOIN management_key ON management_key.id = ${keyId}::uuid
    WHERE organization.id = ${tenantScope.organizationId}::uuid`;
  if (found === undefined) throw new Error(`the organization ${tenantScope.organizationId} does not exist`);
  if (found.keyEnded === true) throw authenticationRequired();
  requireOpen(found.status, tenantScope);
}

/**
 * Locks an organization until the transaction ends, against changes that end the rights of its callers. It must be the
 * first lock of a transaction, and never be taken again in the other mode, so that it takes part in no deadlock. An
 * advisory lock, because those are granted in order: a row that is held by one change after another (`FOR SHARE`) would
 * never be free for the change that suspends a busy organization.
 */
export async function lockOrganization(
  transaction: Prisma.TransactionClient,
  organizationId: string,
  mode: LockMode,
): Promise<void> {
  const name = `organization ${organizationId}`;
  // $executeRaw: Prisma cannot read the return type of these functions.
  if (mode === 'exclusive') await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  else await transaction.$executeRaw`SELECT pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`;
}
