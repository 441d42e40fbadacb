import { X509Certificate } from 'node:crypto';

const pem = /^\s*-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;

/** A certificate in PEM (RFC 7468) as base64 of DER; any other text as it is. */
export function withoutArmour(text: string): string {
  return pem.exec(text)?.[1]?.replaceAll(/\s/g, '') ?? text;
}

/** What is wrong with an application certificate: it must be base64 of exactly one X.509 certificate in DER. */
export function certificateFaults(text: string): string[] {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return ['must be base64 of DER without line breaks, or PEM'];
  if (isDerCertificate(bytes)) return [];
  return ['must be one X.509 certificate: base64 of DER without line breaks, or PEM that is not in base64 once more'];
}

function isDerCertificate(bytes: Buffer): boolean {
  try {
    // Node takes PEM, and bytes behind the certificate, too.
    return new X509Certificate(bytes).raw.equals(bytes);
  } catch {
    return false; // what cannot be parsed
  }
}
