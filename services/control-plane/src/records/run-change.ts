import { authenticationRequired } from '../access/authentication-required';
import { requireOpenOrganization } from '../access/require-open-organization';
import type { Database, Transaction } from '../database/database';
import { isDeadlock } from '../database/deadlock';
import { type LockMode, lockOrganization, readTenantState } from '../stores/organization-lock';
import type { Actor } from './change';

/** Maximum number of attempts for a change that PostgreSQL aborts because of a deadlock. */
const maximumAttempts = 4;

/**
 * Runs a change in one transaction, which first repeats the access check: is the organization still open to the change,
 * and is the management key still valid? Both stay so until the commit. Throws as the access check does. `steps` may run
 * again if their transaction was aborted, so they must have no effects outside of it.
 */
export async function runChange<Result>(
  database: Database,
  actor: Actor,
  mode: LockMode,
  steps: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.$transaction(async (transaction) => {
        await lockTenantScope(transaction, actor, mode);
        return steps(transaction);
      });
    } catch (error) {
      // All but one of the changes that waited for each other have proceeded: this one sees their results.
      if (attempt === maximumAttempts || !isDeadlock(error)) throw error;
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
  requireOpenOrganization(found.status, tenantScope);
}
