import type { Permission, Role } from './permissions';

/** The tenant record that a path parameter names. */
export type Scope = 'organization' | 'project' | 'environment' | 'contentAsset';

/** Who may call an endpoint: everybody, or who holds the permission for the record that the scope's parameter names. */
export type Access = 'public' | { permission: Permission; scope: Scope };

/** Who calls an endpoint that is not public. */
export type Caller =
  | { kind: 'operator'; name: string }
  | { kind: 'managementKey'; keyId: string; organizationId: string; role: Role };
