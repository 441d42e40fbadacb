import type { Logger, OutboundClient } from '@multi-drm/service-kit';
import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Caller } from './access';
import { readIssuerDocument } from './issuer-documents';
import { assertionOf } from './oidc-claims';
import type { OidcIssuer } from './oidc-issuers';

/** Asymmetric algorithms alone: a public key is never a secret (RFC 8725, sections 2.1 and 3.1). */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const clockToleranceSeconds = 30;
const requestTimeout = 2_000;
const keysLifetime = 600_000;

/** The keys of an issuer cannot be fetched for now. */
export class IssuerUnreachable extends Error {
  constructor(issuer: string, cause: unknown) {
    super(`the keys of ${issuer} cannot be fetched`, { cause });
    this.name = 'IssuerUnreachable';
  }
}

interface OidcOptions {
  issuers: readonly OidcIssuer[];
  logger: Logger;
  now: () => Date;
  /** Reads discovery documents and keys. */
  client: OutboundClient;
  /** How long after a fetch an unknown key id leads to another one, in milliseconds. */
  cooldownMilliseconds?: number | undefined;
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** Signs in people by the ID or access tokens (JWT) of the identity providers that the operator configured. */
export class OidcAuthentication {
  private readonly keySets = new Map<string, Promise<KeySet>>();

  constructor(private readonly options: OidcOptions) {}

  /**
   * The caller of a token; null where it is none of a configured issuer's, is not valid, or asserts an organization or
   * role beyond what the issuer may. Throws `IssuerUnreachable`.
   */
  async callerOf(token: string): Promise<Caller | null> {
    const issuer = this.options.issuers.find((candidate) => candidate.issuer === issuerOf(token));
    if (issuer === undefined) return null;
    const keySet = await this.keySetOf(issuer);
    try {
      const { payload } = await jwtVerify(token, keySet, {
        issuer: issuer.issuer,
        audience: issuer.audience,
        algorithms,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: clockToleranceSeconds,
        currentDate: this.options.now(),
      });
      const caller = callerOfClaims(issuer, payload);
      if (caller === null) this.logRefusal(issuer, refusedClaims);
      return caller;
    } catch (error) {
      if (!isRefusal(error)) throw new IssuerUnreachable(issuer.issuer, error);
      this.logRefusal(issuer, (error as Error).message);
      return null;
    }
  }

  /** Tells the operator why somebody cannot sign in: the caller is not told. */
  private logRefusal({ issuer }: OidcIssuer, reason: string): void {
    this.options.logger.info('a token was refused', { issuer, reason });
  }

  /** Keys are fetched once and kept; unknown key ids and age fetch them anew. A failed discovery is not remembered. */
  private keySetOf(issuer: OidcIssuer): Promise<KeySet> {
    const known = this.keySets.get(issuer.issuer);
    if (known !== undefined) return known;
    const keySet = this.discover(issuer).catch((error: unknown) => {
      this.keySets.delete(issuer.issuer);
      throw new IssuerUnreachable(issuer.issuer, error);
    });
    this.keySets.set(issuer.issuer, keySet);
    return keySet;
  }

  private async discover(issuer: OidcIssuer): Promise<KeySet> {
    const jwksUri = issuer.jwksUri ?? (await this.readDiscovery(issuer));
    return createRemoteJWKSet(new URL(jwksUri), {
      [customFetch]: (url, { signal }) => readIssuerDocument(this.options.client, issuer, { url, signal }),
      timeoutDuration: requestTimeout,
      cacheMaxAge: keysLifetime,
      cooldownDuration: this.options.cooldownMilliseconds ?? 5_000,
    });
  }

  private async readDiscovery(issuer: OidcIssuer): Promise<string> {
    const url = `${issuer.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const signal = AbortSignal.timeout(requestTimeout);
    const answer = await readIssuerDocument(this.options.client, issuer, { url, signal });
    const { issuer: said, jwks_uri } = z.object({ issuer: z.string(), jwks_uri: z.url() }).parse(await answer.json());
    // OpenID Connect Discovery 1.0, section 4.3: the document must be the issuer's own.
    if (said !== issuer.issuer) throw new Error('discovery names another issuer');
    return jwks_uri;
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined; // no JWT at all, as every management key
  }
}

/** Whether jose refused the token, rather than failed to fetch keys. */
function isRefusal(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // jose says this, in its most general class, when the keys' address answers anything but 200.
  if (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC') return false;
  return error instanceof errors.JOSEError;
}

const refusedClaims =
  'the claims must name exactly one organization and one role within its entry of OIDC_ISSUERS, and a subject of at most 255 characters';

/** Characters of a subject at most (OpenID Connect Core 1.0, section 2): the audit trail is searched by it. */
const maximumSubjectLength = 255;

function callerOfClaims(issuer: OidcIssuer, payload: JWTPayload): Caller | null {
  const assertion = assertionOf(issuer, payload);
  if (assertion === null || String(payload.sub).length > maximumSubjectLength) return null;
  const name = typeof payload.name === 'string' ? payload.name.slice(0, 200) : null;
  return { kind: 'oidc', issuer: issuer.issuer, subject: String(payload.sub), name, ...assertion };
}
