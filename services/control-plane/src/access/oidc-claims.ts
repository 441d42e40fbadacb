import { managementRoles } from '@multi-drm/contracts';
import type { JWTPayload } from 'jose';
import type { OidcIssuer } from './oidc-issuers';
import type { Role } from './permissions';

/** What a token asserts, or a sentence that says why it asserts nothing. The sentence names the claim, and no values except roles. */
export type Assertion = { organizationId: string; role: Role } | { refused: string };

/**
 * The organization and the role that a token asserts, if there is exactly one of each and the issuer may assert both. Values of the role
 * claim that map to no role are ignored.
 */
export function assertionOf(issuer: OidcIssuer, claims: JWTPayload): Assertion {
  const { organizationClaim, roleClaim } = issuer;
  const [organizationId, ...otherOrganizations] = textsOf(claimNamed(claims, organizationClaim));
  if (organizationId === undefined) return { refused: `${organizationClaim} has no organization` };
  if (otherOrganizations.length > 0) return { refused: `${organizationClaim} has several organizations` };
  const allowed = issuer.organizations.find((candidate) => candidate.organizationId === organizationId);
  if (allowed === undefined)
    return { refused: `${organizationClaim} has an organization that the issuer may not assert` };
  const roles = rolesOf(textsOf(claimNamed(claims, roleClaim)), issuer.roles);
  const [asserted, ...otherRoles] = roles;
  if (asserted === undefined) return { refused: `${roleClaim} has no value that is a role` };
  if (otherRoles.length > 0) return { refused: `${roleClaim} has several roles, ${roles.join(' and ')}` };
  if (managementRoles.indexOf(asserted) > managementRoles.indexOf(allowed.maximumRole)) {
    return {
      refused: `${roleClaim} has the role ${asserted}, above ${allowed.maximumRole}, the highest that is allowed`,
    };
  }
  return { organizationId: allowed.organizationId, role: asserted };
}

/**
 * A claim by its literal name, which may contain dots (`https://example.com/role`), or else by its path:
 * `realm_access.roles` is `roles` inside `realm_access`. Names on the path may contain dots as well. Undefined if there
 * is none.
 */
export function claimNamed(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return Reflect.get(claims, name);
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const outer = name.slice(0, dot);
    const inner: unknown = Object.hasOwn(claims, outer) ? Reflect.get(claims, outer) : undefined;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue;
    const found = claimNamed(inner, name.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The distinct strings of a claim, which is a string or a list. */
function textsOf(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

/** The distinct roles that the values map to: by the issuer's mapping or, without one, by role name. */
function rolesOf(values: string[], mapping: OidcIssuer['roles']): Role[] {
  const roles = values.map((value) =>
    mapping === undefined ? managementRoles.find((role) => role === value) : mapping.get(value),
  );
  return [...new Set(roles.filter((found) => found !== undefined))];
}
