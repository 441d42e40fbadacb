import { managementRoles } from '@multi-drm/contracts';
import { setting } from '@multi-drm/service-kit';
import { z } from 'zod';
import type { Role } from './permissions';

/** An identity provider that the operator trusts, and what it may assert. */
export interface OidcIssuer {
  /** `iss` of its tokens */
  issuer: string;
  /** `aud` required in its tokens */
  audience: string;
  /** URL of its keys; if absent, taken from its discovery document (OpenID Connect Discovery 1.0, section 4). */
  jwksUri?: string | undefined;
  /**
   * Claims that hold organization and role: each by its literal name or else by its path, such as `realm_access.roles`.
   */
  organizationClaim: string;
  roleClaim: string;
  /** Maps values of the role claim to roles; if absent, values are role names. Other values are ignored. */
  roles?: ReadonlyMap<string, Role> | undefined;
  /** The organizations that it may assert, each with its highest role. */
  organizations: { organizationId: string; maximumRole: Role }[];
}

const role = z.enum(managementRoles);

const oidcIssuer = z.strictObject({
  issuer: setting.httpUrl,
  audience: z.string().min(1),
  jwksUri: setting.httpUrl.optional(),
  organizationClaim: z.string().min(1).default('organization_id'),
  roleClaim: z.string().min(1).default('role'),
  roles: z
    .record(z.string().min(1), role)
    .refine((roles) => Object.keys(roles).length > 0, 'must map at least one value')
    .transform((roles) => new Map(Object.entries(roles)))
    .optional(),
  organizations: z
    .array(
      z.strictObject({
        organizationId: z.guid().transform((id) => id.toLowerCase()),
        maximumRole: role,
      }),
    )
    .min(1),
});

/** A JSON array of issuers, as in the setting OIDC_ISSUERS. */
export const oidcIssuers = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(oidcIssuer).superRefine((issuers, context) => {
      for (const [index, { issuer }] of issuers.entries()) {
        if (issuers.findIndex((other) => other.issuer === issuer) === index) continue;
        context.addIssue({ code: 'custom', path: [index, 'issuer'], message: 'is that of another entry, too' });
      }
    }),
  );
