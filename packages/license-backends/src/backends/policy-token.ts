import type { KeyObject } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import type { LicenseCall } from './license-backend';
import { licenseDuration } from './license-duration';
import { tracksByRules } from './policy-rules';
import { vendorTokenTimes } from './vendor-token-times';

/** Signs the policy of a call for a customer's own license server; `audience` is the server's origin. */
export type SignPolicy = (call: LicenseCall, audience: string) => string;

/** The current signing key for ES256 and its published id. */
export interface PolicySigningKeys {
  signing: { keyId: string; privateKey: KeyObject };
}

/**
 * Creates the signed policy as a JWT: ES256 with the keys of `/.well-known/jwks.json`. Its `typ` differs from that of
 * license tokens, so that neither can be used as the other (RFC 8725, section 3.11).
 */
export function policySigner({ keys, issuer }: { keys: PolicySigningKeys; issuer: string }): SignPolicy {
  return (call, audience) => {
    const { keyId, privateKey } = keys.signing;
    const { issuedAt, expiresAt } = vendorTokenTimes(call.now);
    const claims = {
      iss: issuer,
      aud: audience,
      sub: call.subject,
      sid: call.sessionId,
      env: call.environmentId,
      cid: call.contentId,
      drm: call.drmSystem,
      pol: { ...call.policy, tracks: tracksByRules(call) },
      /** Key ids of the content's keys for the allowed tracks. */
      kids: call.keys.map((key) => key.keyId),
      /** The latest end of the license, in seconds since 1970. */
      lic_exp: Math.floor(licenseDuration(call).endsAt.getTime() / 1000),
      jti: call.randomUuid(),
      iat: issuedAt,
      nbf: issuedAt,
      exp: expiresAt,
    };
    const header = { alg: 'ES256', typ: 'drm-policy+jwt', kid: keyId };
    return sign(claims, privateKey, { algorithm: 'ES256', header });
  };
}
