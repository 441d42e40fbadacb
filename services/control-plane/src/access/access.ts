import type { Permission, Role } from './permissions';

/** The tenant record that a path parameter names. */
export type Scope =
  | 'organization'
  | 'managementKey'
  | 'project'
  | 'environment'
  | 'rights'
  | 'licenseProfile'
  | 'contentAsset'
  | 'endUser'
  | 'apiClient';

/**
 * Who may call an endpoint: everybody; or who holds the permission for the record that the scope's parameter names; or,
 * with the scope `caller`, who holds it at all: the handler answers with what is the caller's own. `restores`: the
 * endpoint brings back a record that is archived.
 */
export type Access = 'public' | { permission: Permission; scope: Scope | 'caller'; restores?: true };

/** The organization of the record that a call names, and what counts of the call for whether that is open to it. */
export interface Reach {
  organizationId: string;
  /** What the call names, such as `license profile`. */
  noun: string;
  byOperator: boolean;
  changes: boolean;
  /** Whether the call is one to archive something. */
  archives: boolean;
  /** Whether the call is one to restore what is archived. */
  restores: boolean;
}

/** Who calls an endpoint that is not public. */
export type Caller =
  | { kind: 'operator'; name: string }
  | { kind: 'managementKey'; keyId: string; name: string; organizationId: string; role: Role }
  | { kind: 'oidc'; issuer: string; subject: string; name: string | null; organizationId: string; role: Role };

/** A caller whom the access check let in. `reach`: null where the call names no record, or none that there could be. */
export type AuthorizedCaller = Caller & { reach: Reach | null };
