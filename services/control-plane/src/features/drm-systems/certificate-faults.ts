import { X509Certificate } from 'node:crypto';

/** What is wrong with an application certificate: it must be base64 of exactly one X.509 certificate in DER. */
export function certificateFaults(text: string): string[] {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return ['must be base64'];
  return isDerCertificate(bytes) ? [] : ['must be an X.509 certificate in DER'];
}

function isDerCertificate(bytes: Buffer): boolean {
  try {
    // Node takes PEM, and bytes behind the certificate, too.
    return new X509Certificate(bytes).raw.equals(bytes);
  } catch {
    return false; // what cannot be parsed
  }
}
