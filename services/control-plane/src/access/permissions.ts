/** What an endpoint of the management area asks its caller for. `…:write` changes something. */
export type Permission =
  | 'projects:read'
  | 'projects:write'
  | 'environments:read'
  | 'environments:write'
  | 'content:read'
  | 'content:write'
  | 'api-clients:write';

/** Role of a management key. */
export type Role = 'viewer' | 'editor' | 'admin' | 'owner';

const viewer: Permission[] = ['projects:read', 'environments:read', 'content:read'];
const editor: Permission[] = [...viewer, 'content:write'];
const admin: Permission[] = [...editor, 'projects:write', 'environments:write', 'api-clients:write'];

/** Which role holds which permissions; each role has those of the one before it. */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = { viewer, editor, admin, owner: admin };

/** True for a permission to change something, which a suspended organization loses. */
export function changes(permission: Permission): boolean {
  return permission.endsWith(':write');
}
