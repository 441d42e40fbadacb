import { authenticationRequired } from '../access/authentication-required';
import { requireOpen } from '../access/require-open';
import { isDeadlock } from '../database/deadlock';
import type { OrganizationStatus, Prisma, PrismaClient } from '../generated/prisma/client';
import type { Actor } from './change';

/** `shared`: beside other changes of the organization. `alone`: after those under way, and before those that follow. */
export type Hold = 'shared' | 'alone';

/** How often a change is run that PostgreSQL gave up for others. */
const mostAttempts = 4;

/** May be run again where its transaction was given up, so that it must keep nothing beside what it returns. */
type Make<Result> = (transaction: Prisma.TransactionClient) => Promise<Result>;

/**
 * Runs a change in one transaction, which answers first, once more, what the access check answered before the call: is
 * the organization open to it, and its management key not ended? Both stay so until the commit. Throws what the access
 * check throws.
 */
export async function runChange<Result>(prisma: PrismaClient, actor: Actor, make: Make<Result>): Promise<Result> {
  return run(prisma, actor, 'shared', make);
}

/**
 * Runs, as `runChange` does, a change that ends what others rely on, a key or an organization's being open: after the
 * changes that are under way there, so that none of them is acknowledged after it was.
 */
export async function runChangeAlone<Result>(prisma: PrismaClient, actor: Actor, make: Make<Result>): Promise<Result> {
  return run(prisma, actor, 'alone', make);
}

async function run<Result>(prisma: PrismaClient, actor: Actor, hold: Hold, make: Make<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await prisma.$transaction(async (transaction) => {
        await holdReach(transaction, actor, hold);
        return make(transaction);
      });
    } catch (error) {
      // Of changes that waited for each other all but one have gone on: this one finds what they left.
      if (attempt === mostAttempts || !isDeadlock(error)) throw error;
    }
  }
}

async function holdReach(transaction: Prisma.TransactionClient, { kind, id, reach }: Actor, hold: Hold): Promise<void> {
  if (reach === null) return; // a registration: there is no organization yet
  await holdOrganization(transaction, reach.organizationId, hold);
  const keyId = kind === 'managementKey' ? id : null;
  // In a statement of its own, which sees what was committed while the lock was waited for. A key that was rotated
  // without an overlap ended with the rotation; mere time ends none here: the request came before.
  const [found] = await transaction.$queryRaw<{ status: OrganizationStatus; keyEnded: boolean | null }[]>`
    SELECT status::text, revoked_at IS NOT NULL OR expires_at <= replaced_at AS "keyEnded"
    FROM organization LEFT JOIN management_key ON management_key.id = ${keyId}::uuid
    WHERE organization.id = ${reach.organizationId}::uuid`;
  if (found === undefined) throw new Error(`the organization ${reach.organizationId} is gone`);
  if (found.keyEnded === true) throw authenticationRequired();
  requireOpen(found.status, reach);
}

/**
 * Locks an organization against what ends the rights of its callers until the transaction ends; it must be the first
 * lock that a transaction takes, and never a second time in the other way: so it takes part in no deadlock. An advisory
 * lock, since those are granted in turn: a row that changes hold one after the other (`FOR SHARE`) is never free for
 * the one that would suspend a busy organization.
 */
export async function holdOrganization(
  transaction: Prisma.TransactionClient,
  organizationId: string,
  hold: Hold,
): Promise<void> {
  const name = `organization ${organizationId}`;
  // $executeRaw: what these functions return is no value that Prisma could read.
  if (hold === 'alone') await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  else await transaction.$executeRaw`SELECT pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`;
}
