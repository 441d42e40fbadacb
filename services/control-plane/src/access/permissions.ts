/** What an endpoint of the management area asks its caller for. `…:write` changes something, `…:revoke` ends a key. */
export type Permission =
  | 'organizations:read'
  | 'organizations:write'
  | 'organizations:operate'
  | 'management-keys:read'
  | 'management-keys:write'
  | 'management-keys:revoke'
  | 'audit-events:read'
  | 'projects:read'
  | 'projects:write'
  | 'environments:read'
  | 'environments:write'
  | 'drm-systems:read'
  | 'drm-systems:write'
  | 'rights:read'
  | 'rights:write'
  | 'license-profiles:read'
  | 'license-profiles:write'
  | 'content:read'
  | 'content:write'
  | 'end-users:read'
  | 'end-users:write'
  | 'api-clients:read'
  | 'api-clients:write'
  | 'api-clients:revoke';

/** Role of a management key. */
export type Role = 'viewer' | 'editor' | 'admin' | 'owner';

const viewer: Permission[] = [
  'organizations:read',
  'projects:read',
  'environments:read',
  'drm-systems:read',
  'rights:read',
  'license-profiles:read',
  'content:read',
  'end-users:read',
];
const editor: Permission[] = [...viewer, 'rights:write', 'license-profiles:write', 'content:write', 'end-users:write'];
const admin: Permission[] = [
  ...editor,
  'projects:write',
  'environments:write',
  'drm-systems:write',
  'api-clients:read',
  'api-clients:write',
  'api-clients:revoke',
  'management-keys:read',
  'audit-events:read',
];
const owner: Permission[] = [...admin, 'organizations:write', 'management-keys:write', 'management-keys:revoke'];

/** Which role holds which permissions; each role has those of the one before it. `…:operate` is the operator's alone. */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = { viewer, editor, admin, owner };

/**
 * True for a permission to change something, which a suspended or archived organization loses. To revoke is none: it
 * only ever gives up rights, which a leaked key must lose whatever has become of its organization.
 */
export function changes(permission: Permission): boolean {
  return !permission.endsWith(':read') && !permission.endsWith(':revoke');
}
