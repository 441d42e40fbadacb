import { authenticationRequired } from '../access/authentication-required';
import { requireOpen } from '../access/require-open';
import type { Database, Transaction } from '../database/database';
import { isDeadlock } from '../database/deadlock';
import { type LockMode, lockOrganization, readTenantState } from '../stores/organization-lock';
import type { Actor } from './change';

/** Maximum number of attempts for a change that PostgreSQL aborts because of a deadlock. */
const mostAttempts = 4;

/** May run again if its transaction was aborted, so it must have no effects other than its result. */
type Make<Result> = (transaction: Transaction) => Promise<Result>;

/**
 * Runs a change in one transaction, which first repeats the access check: is the organization still open to the change,
 * and is the management key still valid? Both stay so until the commit. Throws as the access check does.
 */
export async function runChange<Result>(database: Database, actor: Actor, make: Make<Result>): Promise<Result> {
  return run(database, actor, 'shared', make);
}

/**
 * Runs, like `runChange`, a change that ends what others rely on, such as a key or the organization's active status: it
 * waits for the changes in progress, so that none of them is acknowledged after it.
 */
export async function runExclusiveChange<Result>(
  database: Database,
  actor: Actor,
  make: Make<Result>,
): Promise<Result> {
  return run(database, actor, 'exclusive', make);
}

async function run<Result>(database: Database, actor: Actor, mode: LockMode, make: Make<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.$transaction(async (transaction) => {
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
  transaction: Transaction,
  { kind, id, tenantScope }: Actor,
  mode: LockMode,
): Promise<void> {
  if (tenantScope === null) return; // a registration: there is no organization yet
  await lockOrganization(transaction, tenantScope.organizationId, mode);
  const keyId = kind === 'managementKey' ? id : null;
  // A separate statement, which sees what was committed while waiting for the lock.
  const found = await readTenantState(transaction, tenantScope.organizationId, keyId);
  if (found === undefined) throw new Error(`the organization ${tenantScope.organizationId} does not exist`);
  if (found.keyEnded) throw authenticationRequired();
  requireOpen(found.status, tenantScope);
}
