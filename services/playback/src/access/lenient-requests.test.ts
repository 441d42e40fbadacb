import { type PlaybackOperations, playbackDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import supertest from 'supertest';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend, publishContentKeys } from '../testing/published-backend';
import { makeTenant } from '../testing/published-tenant';

let playback: Playback;
const tenant = makeTenant({ maximumConcurrentStreams: 1_000 });
let keyIds: string[];

beforeAll(async () => {
  playback = await startPlayback();
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: 'MAA=' });
  keyIds = [...(await publishContentKeys(playback.redis, tenant)).keys()];
});

const operations = operationsOf(playbackDocument);
const environment = `/api/v1/playback/environments/${tenant.environment.environmentId}`;
const credentials = {
  'X-SERVICE-Client-Id': tenant.client.clientId,
  'X-SERVICE-Client-Secret': tenant.accessKey,
};

type Headers = Record<string, string>;

/** Path, headers and body of a successful call of an operation. */
async function callOf(operationId: keyof PlaybackOperations) {
  const { body: session } = await playback.create(tenant, sessionRequest()).expect(200);
  const asPlayer = { Authorization: `Bearer ${session.drm.drmLicenseToken}` };
  const kids = keyIds.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'));
  const calls: Record<keyof PlaybackOperations, { path: string; headers?: Headers; body?: object }> = {
    getLiveness: { path: '/api/v1/health/live' },
    getReadiness: { path: '/api/v1/health/ready' },
    getJsonWebKeySet: { path: '/.well-known/jwks.json' },
    getFairPlayCertificate: { path: `${environment}/certificates/fairplay` },
    acquireLicense: { path: `${environment}/licenses/widevine`, headers: asPlayer, body: { kids, type: 'temporary' } },
    releasePlaybackSession: { path: new URL(session.release.url).pathname, headers: asPlayer },
    renewPlaybackSession: { path: new URL(session.renewal.url).pathname, headers: asPlayer },
    createPlaybackSession: { path: `${environment}/sessions`, headers: credentials, body: sessionRequest() },
    evaluatePlaybackSession: {
      path: `${environment}/sessions/evaluations`,
      headers: credentials,
      body: sessionRequest(),
    },
    listPlaybackSessions: { path: `${environment}/sessions`, headers: credentials },
  };
  return calls[operationId];
}

const idsOf = (chosen: typeof operations) => chosen.map(({ operationId }) => operationId).sort();
const lenient = operations.filter(({ calledBy }) => calledBy !== undefined);

test('the document says which operations players, monitors and key readers call; backends call the others', () => {
  expect(idsOf(lenient)).toEqual([
    'acquireLicense',
    'getFairPlayCertificate',
    'getJsonWebKeySet',
    'getLiveness',
    'getReadiness',
    'releasePlaybackSession',
    'renewPlaybackSession',
  ]);
});

const added = '?CMCD=br%3D3200%2Csid%3D%226e2fb550%22&assetId=42&_=1764331200';

test.each(operations)('unknown query parameters of $operationId are ignored or rejected by name', async (operation) => {
  const { path, headers = {}, body } = await callOf(operation.operationId as keyof PlaybackOperations);
  const response = await supertest(playback.app)
    [operation.method](path + added)
    .set(headers)
    .send(body);
  if (operation.calledBy !== undefined) expect([200, 204]).toContain(response.status);
  else expect([response.status, Object.keys(response.body.errors)]).toEqual([400, ['CMCD', 'assetId', '_']]);
});

test('a release with an unknown query parameter frees the slot', async () => {
  const subject = 'viewer-of-a-cache-buster';
  const { body: session } = await playback.create(tenant, sessionRequest({ subject })).expect(200);
  await supertest(playback.app)
    .post(`${new URL(session.release.url).pathname}?t=1`)
    .set('Authorization', `Bearer ${session.drm.drmLicenseToken}`)
    .expect(204);
  const { body } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
  expect(body.items).toEqual([]);
});

test.each(operations.filter(({ method }) => method === 'get'))(
  'HEAD of $operationId returns the headers of GET and no body',
  async ({ operationId }) => {
    const { path, headers = {} } = await callOf(operationId as keyof PlaybackOperations);
    const get = await supertest(playback.app).get(path).set(headers).expect(200);
    const head = await supertest(playback.app).head(path).set(headers).expect(200);
    expect(head.text).toBeUndefined();
    for (const name of ['content-type', 'cache-control']) expect(head.headers[name]).toBe(get.headers[name]);
    expect(head.headers).toHaveProperty('content-length');
  },
);

test.each(['/openapi.json', '/docs/'])('HEAD of %s is answered too', async (path) => {
  await supertest(playback.app).head(path).expect(200);
});

const guarded = operations.filter(({ operationId }) => !/^get/.test(operationId));

describe.each(guarded)('a 401 from $operationId names the accepted scheme', ({ operationId, method }) => {
  const challengeTo = async (headers: Headers) => {
    const { path } = await callOf(operationId as keyof PlaybackOperations);
    const response = await supertest(playback.app)[method](path).set(headers).expect(401);
    expect(response.headers['content-type']).toBe('application/problem+json');
    return response.headers['www-authenticate'];
  };
  const isForPlayers = lenient.some((operation) => operation.operationId === operationId);

  test('if no credential is sent', async () => {
    expect(await challengeTo({})).toBe(isForPlayers ? 'Bearer realm="playback"' : 'ApiClient realm="playback"');
  });

  test('if the credential is wrong', async () => {
    const wrong: Headers = isForPlayers
      ? { Authorization: 'Bearer x' }
      : { ...credentials, 'X-SERVICE-Client-Secret': 'ak_x' };
    expect(await challengeTo(wrong)).toBe(
      isForPlayers ? 'Bearer realm="playback", error="invalid_token"' : 'ApiClient realm="playback"',
    );
  });
});
