import { X509Certificate } from 'node:crypto';
import { certificateErrors } from './certificate-validation';
import { selfSignedCertificate } from './self-signed-certificate';

test.each([
  ['2026-03-01T10:00:00.000Z', 'Mar  1 10:00:00 2026 GMT', 'Feb 24 10:00:00 2046 GMT'],
  ['2031-12-31T23:59:59.000Z', 'Dec 31 23:59:59 2031 GMT', 'Dec 26 23:59:59 2051 GMT'],
])('a certificate created at %s is valid from then for twenty years', (now, validFrom, validTo) => {
  const certificate = new X509Certificate(Buffer.from(selfSignedCertificate('Development', new Date(now)), 'base64'));
  expect(certificate).toMatchObject({ subject: 'CN=Development', issuer: 'CN=Development', validFrom, validTo });
});

test('the certificate is signed with its own key', () => {
  const text = selfSignedCertificate('Development', new Date());
  const certificate = new X509Certificate(Buffer.from(text, 'base64'));
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificateErrors(text)).toEqual([]);
});

test('no two certificates have the same key', () => {
  const now = new Date();
  expect(selfSignedCertificate('Development', now)).not.toBe(selfSignedCertificate('Development', now));
});
