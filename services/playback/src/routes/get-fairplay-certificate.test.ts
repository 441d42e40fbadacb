import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend } from '../testing/published-backend';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant();
  await playback.publish(tenant);
});

const certificate = Buffer.from([0x30, 0x82, 1, 2, 3]);
const path = (environmentId = tenant.environment.environmentId) =>
  `/api/v1/playback/environments/${environmentId}/certificates/fairplay`;

test('the FairPlay certificate is returned in DER, with and without a token', async () => {
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: certificate.toString('base64') });
  const { body, headers } = await supertest(playback.app).get(path()).expect(200);
  expect(body).toEqual(certificate);
  expect(headers['content-type']).toBe('application/octet-stream');
  const { drm } = (await playback.create(tenant, sessionRequest({ drmSystem: 'fairplay' })).expect(200)).body;
  await supertest(playback.app).get(path()).set('Authorization', `Bearer ${drm.drmLicenseToken}`).expect(200);
});

test('a bundle of two certificates is returned byte for byte', async () => {
  const bundle = Buffer.concat([certificate, Buffer.from([0x30, 0x82, 4, 0, 255, 0x0a, 0x0d])]);
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: bundle.toString('base64') });
  const { body, headers } = await supertest(playback.app).get(path()).expect(200);
  expect(body).toEqual(bundle);
  expect(headers['content-length']).toBe(String(bundle.length));
});

test('without a certificate, or in an unknown environment, it is not found', async () => {
  for (const url of [path(), path(randomUUID())]) {
    expect((await supertest(playback.app).get(url).expect(404)).body.code).toBe('certificate_not_found');
  }
});

test.each([
  ['an invalid token', 'Bearer x'],
  ['no token at all', 'Bearer'],
  ['another scheme', 'Basic YTpi'],
])('the certificate is public: %s is ignored', async (_what, authorization) => {
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: certificate.toString('base64') });
  await supertest(playback.app).get(path()).set('Authorization', authorization).expect(200);
});

test('a token of another environment is ignored too', async () => {
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: certificate.toString('base64') });
  const other = makeTenant();
  await playback.publish(other);
  const { drm } = (await playback.create(other, sessionRequest()).expect(200)).body;
  await supertest(playback.app).get(path()).set('Authorization', `Bearer ${drm.drmLicenseToken}`).expect(200);
});
