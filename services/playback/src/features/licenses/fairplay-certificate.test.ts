import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { connected, type Playback, sessionRequest, startPlayback } from '../../testing/playback';
import { publishBackend } from '../../testing/published-backend';
import { makeTenant, type PublishedTenant } from '../../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = startPlayback();
  await connected(playback);
});
beforeEach(async () => {
  tenant = makeTenant();
  await playback.publish(tenant);
});
afterAll(() => playback.close());

const certificate = Buffer.from([0x30, 0x82, 1, 2, 3]);
const path = (environmentId = tenant.environment.environmentId) =>
  `/api/v1/playback/environments/${environmentId}/certificates/fairplay`;

test('the FairPlay certificate is given in DER, with a token and without', async () => {
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: certificate.toString('base64') });
  const { body, headers } = await supertest(playback.app).get(path()).expect(200);
  expect(body).toEqual(certificate);
  expect(headers['content-type']).toBe('application/octet-stream');
  const { drm } = (await playback.create(tenant, sessionRequest({ drmSystem: 'fairplay' })).expect(200)).body;
  await supertest(playback.app).get(path()).set('Authorization', `Bearer ${drm.drmLicenseToken}`).expect(200);
});

test('it is not found where there is none, or no such environment', async () => {
  for (const url of [path(), path(randomUUID())]) {
    expect((await supertest(playback.app).get(url).expect(404)).body.code).toBe('certificate_not_found');
  }
});

test('it is not given for a token that is none', async () => {
  const { body } = await supertest(playback.app).get(path()).set('Authorization', 'Bearer x').expect(401);
  expect(body.code).toBe('token_invalid');
});
