import { Problem } from '@multi-drm/contracts';
import type { Logger, OutboundClient } from '@multi-drm/service-kit';
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Caller } from './access';
import { readIssuerKeys } from './issuer-documents';
import { type FindKey, IssuerKeys, IssuerUnreachable } from './issuer-keys';
import { assertionOf } from './oidc-claims';
import type { OidcIssuer } from './oidc-issuers';
import { algorithms, readUnverified, refusalOf, type UnverifiedToken } from './unverified-token';

/** Leeway of `nbf` in seconds, because the clocks of the issuer and of this service differ (RFC 7519, section 4.1.5). */
const startLeeway = 300;

/** `Retry-After` in seconds for a token whose `nbf` is later than that. */
const startRetrySeconds = 30;

/** Characters of an unknown issuer that are logged. */
const maximumLoggedIssuer = 200;

/** How many keys of an issuer are tried for one token. Each key takes a verification. */
const maximumKeysTried = 8;

interface OidcOptions {
  issuers: readonly OidcIssuer[];
  logger: Logger;
  now: () => Date;
  /** Milliseconds of a clock that is never set. */
  monotonicNow: () => number;
  /** Fetches discovery documents and keys. */
  client: OutboundClient;
}

/** Authenticates people by ID or access tokens (JWT) of the identity providers that the operator configured. */
export class OidcAuthentication {
  private readonly keys: ReadonlyMap<string, IssuerKeys>;

  constructor(private readonly options: OidcOptions) {
    const { issuers, client, monotonicNow, logger } = options;
    this.keys = new Map(
      issuers.map((entry) => {
        const fetch = () => readIssuerKeys(client, entry);
        return [entry.issuer, new IssuerKeys({ issuer: entry.issuer, fetch, monotonicNow, logger })];
      }),
    );
  }

  /**
   * The caller of a token; null if the token is not from a configured issuer, is not valid, or asserts an organization
   * or role that the issuer may not assert. Throws `IssuerUnreachable`, and the problem `service_unavailable` for a
   * token of the issuer that starts in the future.
   */
  async callerOf(token: string): Promise<Caller | null> {
    const unverified = readUnverified(token);
    if (unverified === null || this.keys.size === 0) return null;
    const issuer = this.options.issuers.find((candidate) => candidate.issuer === unverified.claims.iss);
    const keys = issuer && this.keys.get(issuer.issuer);
    if (issuer === undefined || keys === undefined) {
      const named = String(unverified.claims.iss).slice(0, maximumLoggedIssuer);
      return this.refuse({ issuer: named }, 'no entry of OIDC_ISSUERS has exactly this issuer');
    }
    const refusal = refusalOf(unverified, issuer.audience, this.options.now());
    if (refusal !== null) return this.refuse(issuer, refusal);
    try {
      const caller = callerOfClaims(issuer, await this.verifiedClaims(token, unverified, issuer, keys));
      return 'refused' in caller ? this.refuse(issuer, caller.refused) : caller;
    } catch (error) {
      if (error instanceof IssuerUnreachable) throw error;
      if (isNotYetValid(error)) throw startsInTheFuture(error);
      return this.refuse(issuer, error);
    }
  }

  /** Fetches newer keys for a token that fits none of the known keys, as after a rotation. */
  private async verifiedClaims(
    token: string,
    { header }: UnverifiedToken,
    { issuer, audience }: OidcIssuer,
    keys: IssuerKeys,
  ): Promise<JWTPayload> {
    const options = {
      issuer,
      audience,
      algorithms,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: startLeeway, // that of `exp` is tighter, and was checked before
      currentDate: this.options.now(),
    };
    const current = await keys.current();
    try {
      return await verifyWith(current, token, options);
    } catch (error) {
      // If the token has no key id, only its signature shows that the key is new.
      const mayHaveNewKey =
        error instanceof errors.JWKSNoMatchingKey ||
        (header.kid === undefined && error instanceof errors.JWSSignatureVerificationFailed);
      const newer = mayHaveNewKey ? await keys.newerThan(current) : null;
      if (newer === null) throw error;
      return verifyWith(newer, token, options);
    }
  }

  /** Logs for the operator why a sign-in failed; the caller does not learn the reason. */
  private refuse({ issuer }: Pick<OidcIssuer, 'issuer'>, cause: unknown): null {
    const { logger } = this.options;
    if (typeof cause === 'string') logger.info('a token was rejected', { issuer, reason: cause });
    else if (cause instanceof errors.JOSEError) logger.info('a token was rejected', { issuer, reason: cause.message });
    // jose throws other errors for keys that it cannot use, such as RSA keys of 1,024 bits.
    else logger.warn('a token was rejected because of a key of its issuer', { issuer, error: cause });
    return null;
  }
}

/**
 * Verifies a token with the key that its header names, or with each that fits if there are several: a header without `kid`
 * (RFC 7515, section 4.1.4), or a `kid` that two keys have.
 */
async function verifyWith(find: FindKey, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, find, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      if (tried === maximumKeysTried) break;
      tried += 1;
      const { payload } = await jwtVerify(token, key, options).catch(tryNextKey);
      if (payload !== undefined) return payload;
    }
    throw new errors.JWSSignatureVerificationFailed(`signature verification failed with ${tried} keys`);
  }
}

/**
 * Returns no payload if the key did not verify the token or cannot be used, so that the next one is tried. Throws errors that no other key
 * would change, such as an expired token.
 */
function tryNextKey(error: unknown): { payload?: undefined } {
  if (error instanceof errors.JOSEError && !(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
  return {};
}

function isNotYetValid(error: unknown): boolean {
  return error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf' && error.reason === 'check_failed';
}

function startsInTheFuture(cause: unknown): Problem {
  const detail = 'The token is not valid yet: the clocks of the identity provider and of this service differ.';
  return new Problem('service_unavailable', detail, { headers: { 'Retry-After': String(startRetrySeconds) }, cause });
}

/** Maximum length of a subject (OpenID Connect Core 1.0, section 2); the audit trail can be searched by it. */
const maximumSubjectLength = 255;

/** The caller, or why there is none, with the person: only the operator can help this person. */
function callerOfClaims(issuer: OidcIssuer, claims: JWTPayload): Caller | { refused: string } {
  const { sub } = claims;
  // jose requires the claim, but not that it is a string (RFC 7519, section 4.1.2).
  if (typeof sub !== 'string' || sub === '' || sub.length > maximumSubjectLength) {
    return { refused: 'the claim sub must be text of 1 to 255 characters' };
  }
  const assertion = assertionOf(issuer, claims);
  if ('refused' in assertion) {
    return { refused: `the claims must name exactly one organization and one role: of ${sub}, ${assertion.refused}` };
  }
  const name = typeof claims.name === 'string' ? claims.name.slice(0, 200) : null;
  return { kind: 'oidc', issuer: issuer.issuer, subject: sub, name, ...assertion };
}
