import type { Scope } from '../stores/tenants';
import type { Permission, Role } from './permissions';

/**
 * Who may call an endpoint: everybody (`public`); everybody, while the address has not sent too many invalid requests
 * (`public-by-address`); or callers that hold the permission for the record named by the scope's parameter. With the scope `caller`, the
 * permission is enough, because the handler returns only records of the caller. `restores`: the endpoint restores an archived record.
 */
export type Access =
  | 'public'
  | 'public-by-address'
  | { permission: Permission; scope: Scope | 'caller'; restores?: true };

/** The target tenant and the request properties that decide access. */
export interface TenantScope {
  organizationId: string;
  /** The kind of the named record, such as `license profile`. */
  noun: string;
  byOperator: boolean;
  changes: boolean;
  /** Whether a suspended organization may send the request although it changes something. */
  whileSuspended: boolean;
  /** Whether the request archives something. */
  archives: boolean;
  /** Whether the request restores something archived. */
  restores: boolean;
}

/** The caller of an endpoint that is not public. */
export type Caller =
  | { kind: 'operator'; name: string }
  | { kind: 'managementKey'; keyId: string; name: string; organizationId: string; role: Role }
  | { kind: 'oidc'; issuer: string; subject: string; name: string | null; organizationId: string; role: Role };

/**
 * A caller that passed the access check. `tenantScope`: null if the request names no record, or an id that cannot
 * exist.
 */
export type AuthorizedCaller = Caller & { tenantScope: TenantScope | null };
