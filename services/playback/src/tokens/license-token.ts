import { type PlaybackSchemas, Problem } from '@multi-drm/contracts';
import type { SignedPolicy } from '@multi-drm/policy';
import { hashOfCredential } from '@multi-drm/service-kit';
import { type JwtPayload, verify } from 'jsonwebtoken';
import { z } from 'zod';
import type { KnownTokens } from './known-tokens';
import { type LicenseTokenClaims, licenseTokenClaims } from './license-token-claims';
import { signEs256 } from './sign-es256';
import type { SigningKeys } from './signing-keys';

const algorithm = 'ES256';
const tokenType = 'drm-license+jwt';

/** Under 4 KiB, so that every server and proxy on the way accepts it in a header. */
const maximumTokenLength = 4095;

export interface LicenseTokenSettings {
  keys: SigningKeys;
  /** Must not be empty, like `audience`. */
  issuer: string;
  audience: string;
  /** How far `iat` and `nbf` are set back, because clients whose clocks run behind would refuse a token from the future. */
  backdateSeconds: number;
  /** Returns a new unpredictable `jti`. */
  newTokenId: () => string;
  /** Tokens with exactly these keys, issuer and audience. */
  known: KnownTokens;
}

type VerificationSettings = Pick<LicenseTokenSettings, 'keys' | 'issuer' | 'audience' | 'known'>;

/** What a token authorizes. */
export interface LicenseTokenFields {
  subject: string;
  sessionId: string;
  environmentId: string;
  contentId: string;
  drmSystem: PlaybackSchemas['DrmSystem'];
  policy: SignedPolicy;
  /** The nonce of the session's reservation. */
  reservationId: string;
  expiresAt: Date;
  /** The claim `rec`; opaque here. Null for none. */
  record: readonly unknown[] | null;
}

/** A token whose signature and binding have been checked, but not its times. */
export type LicenseToken = LicenseTokenFields & { notBefore: Date; tokenId: string };

/**
 * Signs a license token (RFC 7519). The returned `expiresAt` is the token's: the requested one, truncated to the second. The record is
 * left out if the token would reach 4 KiB with it.
 *
 * Throws a RangeError if the token would reach 4 KiB. Everything that the contract accepts fits, without the record and with an issuer
 * and an audience of 200 bytes each.
 */
export function signLicenseToken(
  settings: LicenseTokenSettings,
  fields: LicenseTokenFields,
  now: Date,
): { token: string; expiresAt: Date } {
  const { issuer, audience, backdateSeconds, newTokenId } = settings;
  const { keyId, privateKey } = settings.keys.signing;
  const issuedAt = secondsOf(now) - backdateSeconds;
  const exp = secondsOf(fields.expiresAt);
  const claims: LicenseTokenClaims = {
    iss: issuer,
    aud: audience,
    sub: fields.subject,
    sid: fields.sessionId,
    env: fields.environmentId,
    cid: fields.contentId,
    drm: fields.drmSystem,
    pol: fields.policy,
    jti: newTokenId(),
    iat: issuedAt,
    nbf: issuedAt,
    exp,
    rid: fields.reservationId,
    ...(fields.record === null ? {} : { rec: fields.record }),
  };
  const signed = (some: LicenseTokenClaims) => signEs256({ typ: tokenType, kid: keyId }, some, privateKey);
  let token = signed(claims);
  if (token.length > maximumTokenLength && fields.record !== null) {
    const { rec, ...others } = claims;
    token = signed(others);
  }
  if (token.length > maximumTokenLength) throw new RangeError(`the license token has ${token.length} characters`);
  settings.known.add(hashOfCredential(token));
  return { token, expiresAt: new Date(exp * 1000) };
}

/** What the route requires a token to be for. */
export interface LicenseTokenUse {
  environmentId: string;
  sessionId?: string;
  drmSystem?: string;
}

/**
 * Verifies a license token by the rules of RFC 8725: pins algorithm and type, uses known keys only, and checks issuer, audience, the
 * shape of all claims, and then what the token is for. {@link requireCurrent} checks its times separately, because a release
 * ignores them and other routes check the session first.
 *
 * Throws the problem `token_invalid`.
 */
export function verifyLicenseToken(settings: VerificationSettings, token: string, use: LicenseTokenUse): LicenseToken {
  const claims = verifiedClaims(settings, token);
  if (claims.env !== use.environmentId) throw invalid('The license token is for another environment.');
  if (use.sessionId !== undefined && claims.sid !== use.sessionId)
    throw invalid('The license token is for another session.');
  if (use.drmSystem !== undefined && claims.drm !== use.drmSystem) {
    throw invalid('The license token is for another DRM system.');
  }
  return {
    subject: claims.sub,
    sessionId: claims.sid,
    environmentId: claims.env,
    contentId: claims.cid,
    drmSystem: claims.drm,
    policy: claims.pol,
    reservationId: claims.rid,
    tokenId: claims.jti,
    notBefore: new Date(claims.nbf * 1000),
    expiresAt: new Date(claims.exp * 1000),
    // Another version of the service may have written it in another form.
    record: Array.isArray(claims.rec) ? claims.rec : null,
  };
}

/** What a token names, if this process has verified or signed it before; null for any other token. */
export function readKnownToken(
  { known }: Pick<LicenseTokenSettings, 'known'>,
  token: string,
): Pick<LicenseToken, 'sessionId' | 'contentId'> | null {
  if (token.length > maximumTokenLength || !known.has(hashOfCredential(token))) return null;
  const { sid, cid } = licenseTokenClaims.parse(partOf(token, 1));
  return { sessionId: sid, contentId: cid };
}

/** Leeway of `nbf` in seconds (RFC 7519, section 4.1.5). */
const startLeeway = 300;

/**
 * Throws the problem `token_expired` from the token's `exp` on, and the retryable `service_unavailable` if its `nbf` is more than five
 * minutes away. This service has signed it, so that the clock of Redis was ahead then or is behind now, and no caller is to blame.
 */
export function requireCurrent({ notBefore, expiresAt }: LicenseToken, now: Date): void {
  if (now >= expiresAt) throw new Problem('token_expired', 'The license token has expired.');
  if (secondsOf(now) < secondsOf(notBefore) - startLeeway) {
    throw new Problem(
      'service_unavailable',
      'The license token is not valid yet: the clock of the service was set back.',
    );
  }
}

/** The header members that are checked (RFC 7515). `crit` requires extensions, none of which is supported. */
const tokenHeader = z.object({ typ: z.literal(tokenType), kid: z.string(), crit: z.never().optional() });

/** Checks everything except what the token is for and its times. */
function verifiedClaims(settings: VerificationSettings, token: string): LicenseTokenClaims {
  if (token.length > maximumTokenLength) throw invalid('The license token is too long.');
  const { known } = settings;
  const hash = hashOfCredential(token);
  try {
    if (known.has(hash)) return licenseTokenClaims.parse(partOf(token, 1));
    const claims = licenseTokenClaims.parse(verifiedPayload(settings, token));
    known.add(hash);
    return claims;
  } catch (error) {
    throw invalid('The license token is not a valid token of this service.', error);
  }
}

function verifiedPayload({ keys, issuer, audience }: VerificationSettings, token: string): string | JwtPayload {
  const { kid } = tokenHeader.parse(partOf(token, 0));
  const publicKey = keys.publicKeys.get(kid);
  if (publicKey === undefined) throw new Error('unknown kid');
  return verify(token, publicKey, {
    algorithms: [algorithm],
    issuer,
    audience,
    ignoreExpiration: true,
    ignoreNotBefore: true,
  });
}

/** Decodes the header (0) or the payload (1). Throws an error if it is not JSON. */
function partOf(token: string, index: 0 | 1): unknown {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
}

function invalid(detail: string, cause?: unknown): Problem {
  return new Problem('token_invalid', detail, { cause });
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
