import { generateKeyPairSync } from 'node:crypto';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';
import { selfSignedCertificate } from './self-signed-certificate';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const configure = (body: object, drmSystem = 'fairplay') =>
  controlPlane.api
    .put(`/api/v1/management/environments/${tenant.production}/drm-systems/${drmSystem}`)
    .set(bearer(tenant.key))
    .send(body);

describe('a certificate', () => {
  const valid = selfSignedCertificate('Ours', new Date('2026-03-01T10:00:00.000Z'));
  const der = Buffer.from(valid, 'base64');
  const armoured = (certificate: string) => `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
  const pem = armoured(valid);
  // As long as the first, or longer: in a bundle, only their own lengths separate the certificates.
  const second = selfSignedCertificate('Ours, for keys of 2048 bits', new Date('2026-03-01T10:00:00.000Z'));
  const bundle = Buffer.concat([der, Buffer.from(second, 'base64')]).toString('base64');
  const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'der',
    type: 'pkcs8',
  });

  test('of FairPlay is stored and shown', async () => {
    const { body } = await configure({ enabled: false, certificate: valid }).expect(200);
    expect(body.certificate).toBe(valid);
  });

  test.each([
    ['of two', bundle],
    ['of three', Buffer.concat([Buffer.from(bundle, 'base64'), der]).toString('base64')],
    ['of two identical ones', Buffer.concat([der, der]).toString('base64')],
  ])('a bundle %s, concatenated, is stored and shown unchanged', async (_case, certificate) => {
    const { body } = await configure({ enabled: false, certificate }).expect(200);
    expect(body.certificate).toBe(certificate);
  });

  test('a bundle in PEM is shown in base64 of DER', async () => {
    const certificate = `\n${pem}\r\n\r\n${armoured(second)}`;
    const { body } = await configure({ enabled: false, certificate }).expect(200);
    expect(body.certificate).toBe(bundle);
  });

  test.each([
    ['', pem],
    [' of short lines, as Windows writes them', pem.replace(valid, valid.replaceAll(/.{64}/g, '$&\r\n'))],
  ])('is accepted in PEM%s, and shown in base64 of DER', async (_case, certificate) => {
    const { body } = await configure({ enabled: false, certificate }).expect(200);
    expect(body.certificate).toBe(valid);
  });

  test.each([
    ['that is truncated', der.subarray(0, -1).toString('base64')],
    ['with trailing bytes', Buffer.concat([der, Buffer.of(0)]).toString('base64')],
    ['in PEM and then in base64', Buffer.from(pem).toString('base64')],
    ['that is not one', Buffer.from('certificate').toString('base64')],
    ['without its padding', `${Buffer.from('abcd').toString('base64').replaceAll('=', '')}`],
    ['in base64url', 'ab-_'],
    ['in base64 with line breaks', `${valid.slice(0, 64)}\n${valid.slice(64)}`],
    ['with a second one that is truncated', Buffer.from(bundle, 'base64').subarray(0, -1).toString('base64')],
    ['followed by a private key', Buffer.concat([der, privateKey]).toString('base64')],
    ['after a private key', Buffer.concat([privateKey, der]).toString('base64')],
    ['followed by one in PEM', Buffer.concat([der, Buffer.from(pem)]).toString('base64')],
    ['in PEM with a private key', `${pem}-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n`],
    ['of only PEM boundaries', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----'],
  ])('%s is rejected by name, with the accepted forms', async (_case, certificate) => {
    const { body } = await configure({ enabled: false, certificate }).expect(400);
    expect(body.errors).toEqual({ certificate: [expect.stringMatching(/base64 of DER without line breaks, or PEM/)] });
  });

  test('is only for fairplay', async () => {
    const { body } = await configure({ enabled: false, certificate: valid }, 'widevine').expect(400);
    expect(body.errors).toEqual({ certificate: ['is only for fairplay'] });
  });
});
