import type { Logger, OutboundClient } from '@multi-drm/service-kit';
import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Caller } from './access';
import { readIssuerDocument } from './issuer-documents';
import { assertionOf } from './oidc-claims';
import type { OidcIssuer } from './oidc-issuers';

/** Only asymmetric algorithms, so that a public key is never used as a secret (RFC 8725, sections 2.1 and 3.1). */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const clockToleranceSeconds = 30;
const requestTimeout = 2_000;
const keysLifetime = 600_000;

/** The keys of an issuer cannot be fetched at the moment. */
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
  /** Fetches discovery documents and keys. */
  client: OutboundClient;
  /** Minimum time after a fetch before an unknown key id triggers another one, in milliseconds. */
  cooldownMilliseconds?: number | undefined;
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** Authenticates people by ID or access tokens (JWT) of the identity providers that the operator configured. */
export class OidcAuthentication {
  private readonly keySets = new Map<string, Promise<KeySet>>();

  constructor(private readonly options: OidcOptions) {}

  /**
   * The caller of a token; null if the token is not from a configured issuer, is not valid, or asserts an organization
   * or role that the issuer may not assert. Throws `IssuerUnreachable`.
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

  /** Logs for the operator why a sign-in failed; the caller does not learn the reason. */
  private logRefusal({ issuer }: OidcIssuer, reason: string): void {
    this.options.logger.info('a token was rejected', { issuer, reason });
  }

  /**
   * Keys are fetched once and cached; they are fetched again for an unknown key id and when they are old. A failed
   * discovery is not cached.
   */
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
    // OpenID Connect Discovery 1.0, section 4.3: the document must name the same issuer.
    if (said !== issuer.issuer) throw new Error('discovery names another issuer');
    return jwks_uri;
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined; // not a JWT at all, such as every management key
  }
}

/** Whether jose rejected the token, as opposed to failing to fetch keys. */
function isRefusal(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // jose throws its most general error class if the key URL answers anything but 200.
  if (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC') return false;
  return error instanceof errors.JOSEError;
}

const refusedClaims =
  'the claims must name exactly one organization and one role within its entry of OIDC_ISSUERS, and a subject of at most 255 characters';

/** Maximum length of a subject (OpenID Connect Core 1.0, section 2); the audit trail can be searched by it. */
const maximumSubjectLength = 255;

function callerOfClaims(issuer: OidcIssuer, payload: JWTPayload): Caller | null {
  const assertion = assertionOf(issuer, payload);
  if (assertion === null || String(payload.sub).length > maximumSubjectLength) return null;
  const name = typeof payload.name === 'string' ? payload.name.slice(0, 200) : null;
  return { kind: 'oidc', issuer: issuer.issuer, subject: String(payload.sub), name, ...assertion };
}
