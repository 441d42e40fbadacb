import { X509Certificate } from 'node:crypto';

const pem = /^\s*(?:-----BEGIN CERTIFICATE-----\s[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;
const pemContents = /-----BEGIN CERTIFICATE-----([^-]+)/g;

/** Certificates in PEM (RFC 7468), one after the other, as base64 of their DER; any other text as it is. */
export function withoutArmour(text: string): string {
  if (!pem.test(text)) return text;
  const certificates = [...text.matchAll(pemContents)].map(([, content = '']) => Buffer.from(content, 'base64'));
  return Buffer.concat(certificates).toString('base64');
}

/**
 * What is wrong with an application certificate. It must be base64 of X.509 certificates in DER, one after the other:
 * one, or two in a bundle, for keys of 1024 and of 2048 bits (Apple, FairPlay Streaming Server SDK 26,
 * `parseCertificateBundle`). How many there are, and for which keys, is not looked at; that there is nothing else is,
 * since the bytes are public: a private key must not be among them.
 */
export function certificateFaults(text: string): string[] {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return ['must be base64 of DER without line breaks, or PEM'];
  if (areDerCertificates(bytes)) return [];
  return [
    'must be an X.509 certificate, or several one after the other: base64 of DER without line breaks, or PEM that is ' +
      'not in base64 once more',
  ];
}

function areDerCertificates(bytes: Buffer): boolean {
  let rest = bytes;
  do {
    const certificate = firstCertificate(rest);
    // Node takes PEM, too.
    if (certificate === undefined || !rest.subarray(0, certificate.length).equals(certificate)) return false;
    rest = rest.subarray(certificate.length);
  } while (rest.length > 0);
  return true;
}

/** In DER, without what is behind it; undefined where there is none. */
function firstCertificate(bytes: Buffer): Buffer | undefined {
  try {
    return new X509Certificate(bytes).raw;
  } catch {
    return undefined; // what cannot be parsed
  }
}
