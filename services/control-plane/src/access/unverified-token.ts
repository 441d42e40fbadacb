import { decodeJwt, decodeProtectedHeader, type JWTPayload, type ProtectedHeaderParameters } from 'jose';

/** A token as it was sent. Anybody may have made it. */
export interface UnverifiedToken {
  header: ProtectedHeaderParameters;
  claims: JWTPayload;
}

/** Only asymmetric algorithms, so that a public key is never used as a secret (RFC 8725, sections 2.1 and 3.1). */
export const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** ID tokens and access tokens (RFC 9068, section 2.1). An issuer signs other kinds with the same keys (RFC 8725, section 3.11). */
const types = ['jwt', 'at+jwt'];

/** For `exp`, in seconds. */
const clockTolerance = 30;

/** Decodes a token; null if it is not a JWT, as no management key is. */
export function readUnverified(token: string): UnverifiedToken | null {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    return null;
  }
}

/** Returns the reason to refuse a token before a key is fetched, which no signature could change; null if there is none. */
export function refusalOf({ header, claims }: UnverifiedToken, audience: string, now: Date): string | null {
  if (header.alg === undefined || !algorithms.includes(header.alg)) return 'unexpected "alg" header value';
  if (header.typ !== undefined && !types.includes(mediaTypeOf(header.typ))) return 'unexpected "typ" header value';
  if (![claims.aud].flat().includes(audience)) return `unexpected "aud" claim value, not ${audience}`;
  if (typeof claims.exp !== 'number') return '"exp" claim must be a number';
  if (claims.exp <= Math.floor(now.getTime() / 1000) - clockTolerance) return '"exp" claim timestamp check failed';
  // Bound to a key (RFC 7800), whose possession a bearer cannot prove.
  if (Object.hasOwn(claims, 'cnf')) return 'unexpected "cnf" claim';
  // A logout token need not have a type (OpenID Connect Back-Channel Logout 1.0, section 2.4).
  if (Object.hasOwn(claims, 'events')) return 'unexpected "events" claim';
  return null;
}

/** Compared in any case and without `application/` (RFC 7515, section 4.1.9). */
function mediaTypeOf(typ: unknown): string {
  return String(typ)
    .toLowerCase()
    .replace(/^application\//, '');
}
