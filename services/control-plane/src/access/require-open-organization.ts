import { Problem } from '@multi-drm/contracts';
import type { Tenant } from '../stores/tenants';
import type { TenantScope } from './access';

/**
 * Checks that an organization with this status accepts the request. For its own callers, an archived organization does not exist. A
 * suspended one can be read, and changed only as `allowedWhileSuspended` permits. The operator may also change suspended organizations. An
 * archived organization can be restored; archiving it again does nothing.
 */
export function requireOpenOrganization(
  status: Tenant['status'],
  { noun, byOperator, changes, whileSuspended, archives, restores }: TenantScope,
): void {
  if (status === 'archived' && !byOperator) throw new Problem('not_found', `There is no such ${noun}.`);
  if (!changes) return;
  if (status === 'suspended' && !byOperator && !whileSuspended) {
    throw new Problem('permission_denied', 'The organization is suspended: it can be read but not changed.');
  }
  const restoresIt = restores && noun === 'organization';
  if (status === 'archived' && !archives && !restoresIt) {
    throw new Problem('conflict', 'The organization is archived: it can be read but not changed.');
  }
}
