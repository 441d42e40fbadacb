import { type KeyObject, sign } from 'node:crypto';

/**
 * Signs claims as a JWT with ES256, in JWS Compact Serialization (RFC 7515, section 7.1; RFC 7518, section 3.4).
 *
 * jsonwebtoken, which verifies the tokens, makes the same ones. Its signer checks the claims again, asks OpenSSL for a signature in DER
 * and rewrites it, which takes a fifth of the time of a signature.
 *
 * @param privateKey on the curve P-256
 */
export function signEs256(header: { typ: string; kid: string }, claims: object, privateKey: KeyObject): string {
  const signed = `${base64url({ alg: 'ES256', ...header })}.${base64url(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
