import { X509Certificate } from 'node:crypto';

const pem = /^\s*(?:-----BEGIN CERTIFICATE-----\s[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;
const pemContents = /-----BEGIN CERTIFICATE-----([^-]+)/g;

/** Converts concatenated PEM certificates (RFC 7468) to base64 of their DER; any other text is returned unchanged. */
export function pemToBase64Der(text: string): string {
  if (!pem.test(text)) return text;
  const certificates = [...text.matchAll(pemContents)].map(([, content = '']) => Buffer.from(content, 'base64'));
  return Buffer.concat(certificates).toString('base64');
}

/**
 * Validation errors of an application certificate. It must be base64 of one or more concatenated X.509 certificates in
 * DER: one, or two in a bundle, for keys of 1024 and of 2048 bits (Apple, FairPlay Streaming Server SDK 26,
 * `parseCertificateBundle`). The number of certificates and their key sizes are not checked. Anything else in the bytes
 * is rejected, because they are public and must not contain a private key.
 */
export function certificateErrors(text: string): string[] {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return ['must be base64 of DER without line breaks, or PEM'];
  if (areDerCertificates(bytes)) return [];
  return [
    'must be one or more concatenated X.509 certificates: base64 of DER without line breaks, or PEM that is ' +
      'not base64-encoded again',
  ];
}

function areDerCertificates(bytes: Buffer): boolean {
  let rest = bytes;
  do {
    const certificate = firstCertificate(rest);
    // Node accepts PEM as well.
    if (certificate === undefined || !rest.subarray(0, certificate.length).equals(certificate)) return false;
    rest = rest.subarray(certificate.length);
  } while (rest.length > 0);
  return true;
}

/** The DER element at the start, without what follows it; undefined if there is none. */
function firstCertificate(bytes: Buffer): Buffer | undefined {
  try {
    return new X509Certificate(bytes).raw;
  } catch {
    return undefined; // what cannot be parsed
  }
}
