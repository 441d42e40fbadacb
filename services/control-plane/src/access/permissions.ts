import type { ControlPlaneSchemas } from '@multi-drm/contracts';

/** Role of a management key. */
export type Role = ControlPlaneSchemas['ManagementRole'];

const viewer = [
  'organizations:read',
  'projects:read',
  'environments:read',
  'drm-systems:read',
  'rights:read',
  'license-profiles:read',
  'content:read',
  'end-users:read',
  'sessions:read',
  'events:read',
  'usage:read',
] as const;
const support = [...viewer, 'end-users:block', 'sessions:terminate'] as const;
const editor = [...support, 'rights:write', 'license-profiles:write', 'content:write', 'end-users:write'] as const;
const admin = [
  ...editor,
  'projects:write',
  'environments:write',
  'drm-systems:write',
  'api-clients:read',
  'api-clients:write',
  'api-clients:revoke',
  'webhook-endpoints:read',
  'webhook-endpoints:write',
  'management-keys:read',
  'audit-events:read',
] as const;
const owner = [...admin, 'organizations:write', 'management-keys:write', 'management-keys:revoke'] as const;

/** Permissions of the management API: those of the owner, and one of the operator. `…:write` changes something, `…:revoke` ends a key. */
export type Permission = (typeof owner)[number] | 'organizations:operate';

/** Permissions by role; each role includes those of the previous one. */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = { viewer, support, editor, admin, owner };

/**
 * Whether a permission changes something, which a suspended or archived organization may not do. `…:revoke` does not
 * count: it only removes access, and a leaked key must be revocable whatever the organization's status.
 */
export function changes(permission: Permission): boolean {
  return !permission.endsWith(':read') && !permission.endsWith(':revoke');
}

/** What a suspended organization may change: it may block and unblock viewers, and end their sessions. */
const whileSuspended: readonly Permission[] = ['end-users:block', 'sessions:terminate'];

/** Whether a suspended organization may make the changes of this permission. */
export function allowedWhileSuspended(permission: Permission): boolean {
  return whileSuspended.includes(permission);
}
