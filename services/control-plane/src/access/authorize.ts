import { Problem } from '@multi-drm/contracts';
import { isUuid } from '@multi-drm/service-kit';
import type { Request } from 'express';
import type { Access, Caller, Scope } from './access';
import type { AccessStore } from './access-store';
import type { Authentication } from './authenticate';
import { changes, type Permission, rolePermissions } from './permissions';

const scopes: Record<Scope, { parameter: string; noun: string }> = {
  organization: { parameter: 'organizationId', noun: 'organization' },
  project: { parameter: 'projectId', noun: 'project' },
  environment: { parameter: 'environmentId', noun: 'environment' },
  contentAsset: { parameter: 'contentAssetId', noun: 'content asset' },
};

/** Checks credential, permission and tenant of a request, in this order; returns the caller, null on public endpoints. */
export function authorizeWith(authentication: Authentication, store: AccessStore) {
  return async (access: Access, request: Request): Promise<Caller | null> => {
    if (access === 'public') return null;
    const caller = await authentication.callerOf(request.get('Authorization'));
    requirePermission(caller, access.permission);
    const { parameter } = scopes[access.scope];
    const id = request.params[parameter];
    if (typeof id !== 'string') throw new Error(`the path has no parameter ${parameter}`);
    // What is no UUID names no record: the validator, which comes next and asks the same question, refuses it.
    if (isUuid(id)) await requireReach(caller, access, id, store);
    return caller;
  };
}

function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.kind === 'operator' || rolePermissions[caller.role].includes(permission)) return;
  throw new Problem('permission_denied', `The role of the key, ${caller.role}, does not hold ${permission}.`);
}

/** Another organization's record is answered like one that does not exist. The operator reaches every organization. */
async function requireReach(
  caller: Caller,
  { permission, scope }: Exclude<Access, 'public'>,
  id: string,
  store: AccessStore,
): Promise<void> {
  const tenant = await store.findTenant(scope, id);
  const reaches = caller.kind === 'operator' || caller.organizationId === tenant?.organizationId;
  if (tenant === null || !reaches) throw new Problem('not_found', `There is no such ${scopes[scope].noun}.`);
  if (caller.kind !== 'operator' && tenant.status === 'suspended' && changes(permission)) {
    throw new Problem('permission_denied', 'The organization is suspended: it can be read, not changed.');
  }
}
