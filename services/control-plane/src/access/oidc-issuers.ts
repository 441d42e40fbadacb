import { setting } from '@multi-drm/service-kit';
import { z } from 'zod';
import type { Role } from './permissions';

/** An identity provider that the operator trusts, and how far. */
export interface OidcIssuer {
  /** `iss` of its tokens. */
  issuer: string;
  /** `aud` that its tokens must carry. */
  audience: string;
  /** Where its keys are; absent: as its discovery document says (OpenID Connect Discovery 1.0, section 4). */
  jwksUri?: string | undefined;
  /** Claims that name organization and role. */
  organizationClaim: string;
  roleClaim: string;
  /** The organizations that it may assert, each with the highest role. */
  organizations: { organizationId: string; maximumRole: Role }[];
}

const oidcIssuer = z.strictObject({
  issuer: setting.httpUrl,
  audience: z.string().min(1),
  jwksUri: setting.httpUrl.optional(),
  organizationClaim: z.string().min(1).default('organization_id'),
  roleClaim: z.string().min(1).default('role'),
  organizations: z
    .array(
      z.strictObject({
        organizationId: z.guid().transform((id) => id.toLowerCase()),
        maximumRole: z.enum(['viewer', 'editor', 'admin', 'owner']),
      }),
    )
    .min(1),
});

/** A JSON array of issuers, as the setting OIDC_ISSUERS holds it. */
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
  .pipe(z.array(oidcIssuer));
