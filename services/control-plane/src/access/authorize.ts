import { Problem } from '@multi-drm/contracts';
import { clientAddress, contextOf, isUuid } from '@multi-drm/service-kit';
import type { Request, Response } from 'express';
import type { Admission } from '../admission/admission';
import type { Database } from '../database/database';
import { findTenant, type Scope } from '../stores/tenants';
import type { Access, AuthorizedCaller, Caller, TenantScope } from './access';
import type { Authentication } from './authenticate';
import { allowedWhileSuspended, changes, type Permission, rolePermissions } from './permissions';
import { requireOpenOrganization } from './require-open-organization';

const scopes: Record<Scope, { parameter: string; noun: string }> = {
  organization: { parameter: 'organizationId', noun: 'organization' },
  project: { parameter: 'projectId', noun: 'project' },
  environment: { parameter: 'environmentId', noun: 'environment' },
  managementKey: { parameter: 'keyId', noun: 'management key' },
  rights: { parameter: 'rightsId', noun: 'rights' },
  licenseProfile: { parameter: 'licenseProfileId', noun: 'license profile' },
  contentAsset: { parameter: 'contentAssetId', noun: 'content asset' },
  endUser: { parameter: 'userId', noun: 'end user' },
  apiClient: { parameter: 'apiClientId', noun: 'API client' },
  webhookEndpoint: { parameter: 'webhookEndpointId', noun: 'webhook endpoint' },
};

interface AuthorizeOptions {
  authentication: Authentication;
  database: Database;
  admission: Admission;
}

/**
 * Once the request is admitted, checks its credential, permission and tenant, in this order. Returns the caller, or
 * null for public endpoints.
 */
export function authorizeWith({ authentication, database, admission }: AuthorizeOptions) {
  const authorize = async (access: Exclude<Access, string>, request: Request, caller: Caller) => {
    requirePermission(caller, access.permission);
    if (access.scope === 'caller') return { ...caller, tenantScope: null };
    const { parameter } = scopes[access.scope];
    const id = request.params[parameter];
    if (typeof id !== 'string') throw new Error(`the path has no parameter ${parameter}`);
    // An id that is not a UUID names no record. The validator, which runs next, rejects it.
    if (!isUuid(id)) return { ...caller, tenantScope: null };
    const call = {
      changes: changes(access.permission),
      whileSuspended: allowedWhileSuspended(access.permission),
      archives: request.method === 'DELETE',
      restores: access.restores ?? false,
    };
    return { ...caller, tenantScope: await requireTenantScope(caller, access.scope, id, call, database) };
  };

  return async (access: Access, request: Request, response: Response): Promise<AuthorizedCaller | null> => {
    if (access === 'public') return null;
    if (access === 'public-by-address') {
      await admission.enterWithoutCredential(request, response);
      return null;
    }
    const origin = { requestId: contextOf(response).requestId, address: clientAddress(request) };
    const entered = await admission.enter(request, response);
    const { caller, place } = await admission.identify(request, response, entered, () =>
      authentication.callerOf(request.get('Authorization'), origin),
    );
    return place.during(() => authorize(access, request, caller));
  };
}

function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.kind === 'operator' || rolePermissions[caller.role].includes(permission)) return;
  throw new Problem('permission_denied', `The role ${caller.role} does not hold ${permission}.`);
}

/**
 * Answers `not_found` for another organization's record, as if it did not exist, and for an archived organization. The
 * operator may access every organization. Archived records can be read and restored; archiving them again does
 * nothing.
 */
async function requireTenantScope(
  caller: Caller,
  scope: Scope,
  id: string,
  call: Pick<TenantScope, 'changes' | 'whileSuspended' | 'archives' | 'restores'>,
  database: Database,
): Promise<TenantScope> {
  const { noun } = scopes[scope];
  const tenant = await findTenant(database, scope, id);
  const byOperator = caller.kind === 'operator';
  if (tenant === null || !(byOperator || caller.organizationId === tenant.organizationId)) {
    throw new Problem('not_found', `There is no such ${noun}.`);
  }
  const tenantScope = { organizationId: tenant.organizationId, noun, byOperator, ...call };
  requireOpenOrganization(tenant.status, tenantScope);
  // Whether a record's parent allows restoring it is checked in the transaction that restores it.
  if (call.changes && !call.archives && !call.restores && tenant.archived !== null) {
    throw new Problem('conflict', `The ${tenant.archived} is archived: it can be read but not changed.`);
  }
  return tenantScope;
}
