import { type PlaybackOperations, playbackDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import supertest, { type Response } from 'supertest';
import { type Playback, sessionRequest, startPlayback } from './testing/playback';
import { publishBackend, publishContentKeys } from './testing/published-backend';
import { makeTenant } from './testing/published-tenant';

let playback: Playback;
const tenant = makeTenant();

beforeAll(async () => {
  playback = await startPlayback();
  await playback.publish(tenant);
});

const get = (path: string) => async () => supertest(playback.app).get(path);

/** A successful call of each operation; responses are validated against the document. */
const calls: Record<keyof PlaybackOperations, () => Promise<Response>> = {
  getLiveness: get('/api/v1/health/live'),
  getReadiness: get('/api/v1/health/ready'),
  getJsonWebKeySet: get('/.well-known/jwks.json'),
  createPlaybackSession: async () => playback.create(tenant, sessionRequest()),
  releasePlaybackSession: async () => {
    const { body } = await playback.create(tenant, sessionRequest());
    return playback.asPlayer(body, 'release');
  },
  renewPlaybackSession: async () => {
    const { body } = await playback.create(tenant, sessionRequest());
    return playback.asPlayer(body, 'renew');
  },
  listPlaybackSessions: async () => {
    await playback.create(tenant, sessionRequest());
    return playback.asClient(tenant, 'get', '/sessions');
  },
  acquireLicense: async () => {
    await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
    const [keyId = ''] = (await publishContentKeys(playback.redis, tenant)).keys();
    const { body } = await playback.create(tenant, sessionRequest());
    const kid = Buffer.from(keyId.replaceAll('-', ''), 'hex').toString('base64url');
    return playback.license(body, Buffer.from(JSON.stringify({ kids: [kid], type: 'temporary' })));
  },
  getFairPlayCertificate: async () => {
    await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: 'MAA=' });
    return get(`/api/v1/playback/environments/${tenant.environment.environmentId}/certificates/fairplay`)();
  },
  evaluatePlaybackSession: async () =>
    playback.asClient(tenant, 'post', '/sessions/evaluations').send(sessionRequest()),
};

test('every documented operation has a call here', () => {
  const operationIds = operationsOf(playbackDocument).map(({ operationId }) => operationId);
  expect(Object.keys(calls).sort()).toEqual(operationIds.sort());
});

test.each(Object.entries(calls))('%s answers as documented', async (_operationId, call) => {
  const { status } = await call();
  expect([200, 204]).toContain(status);
});

test.each(['/openapi.json', '/docs/'])('%s is served outside the prefix', async (path) => {
  await supertest(playback.app).get(path).expect(200);
});

test.each(['/metrics', '/api/v1/metrics'])('%s is not served: metrics have their own port', async (path) => {
  const { body } = await supertest(playback.app).get(path).expect(404);
  expect(body.code).toBe('route_not_found');
});
