import { Problem } from '@multi-drm/contracts';
import type { Reach } from './access';
import type { Tenant } from './access-store';

/**
 * Makes sure that an organization of this status takes the call: an archived one does not exist any more for its own
 * callers, a suspended one can be read, not changed, and what is archived can be restored and, harmlessly, archived
 * again. The operator changes suspended organizations, too.
 */
export function requireOpen(status: Tenant['status'], { noun, byOperator, changes, archives, restores }: Reach): void {
  if (status === 'archived' && !byOperator) throw new Problem('not_found', `There is no such ${noun}.`);
  if (!changes) return;
  if (status === 'suspended' && !byOperator) {
    throw new Problem('permission_denied', 'The organization is suspended: it can be read, not changed.');
  }
  const restoresIt = restores && noun === 'organization';
  if (status === 'archived' && !archives && !restoresIt) {
    throw new Problem('conflict', 'The organization is archived: it can be read, not changed.');
  }
}
