import { type PlaybackSchemas, Problem, type SignedPolicy } from '@multi-drm/contracts';
import { decode, type JwtPayload, sign, verify } from 'jsonwebtoken';
import { z } from 'zod';
import { type LicenseTokenClaims, licenseTokenClaims } from './license-token-claims';
import type { SigningKeys } from './signing-keys';

const algorithm = 'ES256';
const tokenType = 'drm-license+jwt';

/** Under 4 KiB, so that every server and proxy on the way takes it as a header. */
const maximumTokenLength = 4095;

export interface LicenseTokenSettings {
  keys: SigningKeys;
  /** Not empty, like `audience`. */
  issuer: string;
  audience: string;
  /** How far `iat` and `nbf` lie in the past: clients whose clocks run ahead refuse a token from the future. */
  backdateSeconds: number;
  /** A new unpredictable `jti` at each call. */
  newTokenId: () => string;
}

/** What one token opens. */
export interface LicenseTokenGrant {
  subject: string;
  sessionId: string;
  environmentId: string;
  contentId: string;
  drmSystem: PlaybackSchemas['DrmSystem'];
  policy: SignedPolicy;
  /** The nonce of the session's reservation. */
  reservationId: string;
  expiresAt: Date;
}

/** A token whose signature and binding were checked, its times not. */
export type LicenseToken = LicenseTokenGrant & { notBefore: Date; tokenId: string };

/**
 * Signs a license token (RFC 7519). `expiresAt` of the answer is the token's own: the requested one, cut to the second.
 *
 * Throws a RangeError where the token would not stay under 4 KiB. It does for all that the contract accepts, with an
 * issuer and an audience of 200 bytes each.
 */
export function signLicenseToken(
  settings: LicenseTokenSettings,
  grant: LicenseTokenGrant,
  now: Date,
): { token: string; expiresAt: Date } {
  const { issuer, audience, backdateSeconds, newTokenId } = settings;
  const { keyId, privateKey } = settings.keys.signing;
  const issuedAt = secondsOf(now) - backdateSeconds;
  const exp = secondsOf(grant.expiresAt);
  const claims: LicenseTokenClaims = {
    iss: issuer,
    aud: audience,
    sub: grant.subject,
    sid: grant.sessionId,
    env: grant.environmentId,
    cid: grant.contentId,
    drm: grant.drmSystem,
    pol: grant.policy,
    jti: newTokenId(),
    iat: issuedAt,
    nbf: issuedAt,
    exp,
    rid: grant.reservationId,
  };
  const token = sign(claims, privateKey, { algorithm, header: { alg: algorithm, typ: tokenType, kid: keyId } });
  if (token.length > maximumTokenLength) throw new RangeError(`the license token has ${token.length} characters`);
  return { token, expiresAt: new Date(exp * 1000) };
}

/** What the route says that a token must be for. */
export interface LicenseTokenUse {
  environmentId: string;
  sessionId?: string;
  drmSystem?: string;
}

/**
 * Verifies a license token by the rules of RFC 8725: algorithm and type are pinned, the key comes from the known ones
 * alone, issuer, audience and the shape of all claims are checked; then what the token is for. Its times are left to
 * {@link requireCurrent}, since a release needs none, and other routes look at the session first.
 *
 * Throws the Problem `token_invalid`.
 */
export function verifyLicenseToken(
  settings: Pick<LicenseTokenSettings, 'keys' | 'issuer' | 'audience'>,
  token: string,
  use: LicenseTokenUse,
): LicenseToken {
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
  };
}

/** Throws the Problem `token_expired` from the token's `exp` on, and `token_invalid` before its `nbf`. */
export function requireCurrent({ notBefore, expiresAt }: LicenseToken, now: Date): void {
  if (now >= expiresAt) throw new Problem('token_expired', 'The license token has expired.');
  if (secondsOf(now) < secondsOf(notBefore)) throw invalid('The license token is not valid yet.');
}

/** The header members that decide (RFC 7515). `crit` asks for extensions, of which none is understood here. */
const tokenHeader = z.object({ typ: z.literal(tokenType), kid: z.string(), crit: z.never().optional() });

/** Checks all but what the token is for and its times. */
function verifiedClaims(
  { keys, issuer, audience }: Pick<LicenseTokenSettings, 'keys' | 'issuer' | 'audience'>,
  token: string,
): LicenseTokenClaims {
  if (token.length > maximumTokenLength) throw invalid('The license token is too long.');
  try {
    const { kid } = tokenHeader.parse(decode(token, { complete: true })?.header);
    const publicKey = keys.publicKeys.get(kid);
    if (publicKey === undefined) throw new Error('unknown kid');
    const payload: string | JwtPayload = verify(token, publicKey, {
      algorithms: [algorithm],
      issuer,
      audience,
      ignoreExpiration: true,
      ignoreNotBefore: true,
    });
    return licenseTokenClaims.parse(payload);
  } catch (error) {
    throw invalid('The license token is no valid token of this service.', error);
  }
}

function invalid(detail: string, cause?: unknown): Problem {
  return new Problem('token_invalid', detail, { cause });
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
