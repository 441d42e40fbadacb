/** Permissions of the management API. `…:write` changes something, `…:revoke` ends a key. */
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

/** Permissions by role; each role includes those of the previous one. `…:operate` belongs to the operator only. */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = { viewer, editor, admin, owner };

/**
 * Whether a permission changes something, which a suspended or archived organization may not do. `…:revoke` does not
 * count: it only removes access, and a leaked key must be revocable whatever the organization's status.
 */
export function changes(permission: Permission): boolean {
  return !permission.endsWith(':read') && !permission.endsWith(':revoke');
}
