import { playbackDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import supertest from 'supertest';
import {
  apiClientOf,
  exampleOf,
  exampleSessionId,
  exampleTenant,
  publishExamples,
  sendExample,
} from '../testing/example-requests';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';

let redis: TestRedis;
let playback: Playback;
const tenant = exampleTenant();
tenant.environment.settings.maximumConcurrentStreams = 1_000;
const credentials = apiClientOf(tenant);

beforeAll(async () => {
  // A Redis of its own, because other suites count the sessions of the environment in the examples.
  redis = await startRedis();
  playback = await startPlayback({ redisUrl: redis.url });
  await publishExamples(playback, tenant);
});
afterAll(() => redis.stop());

const operations = operationsOf(playbackDocument);

type Headers = Record<string, string>;

/** An example of a request that succeeds, on a new session, with the credential that it needs. */
async function callOf({ operationId, calledBy, body }: (typeof operations)[number]) {
  const created = await sendExample(playback, exampleOf('createPlaybackSession'), credentials);
  const { sessionId, drm } = created.body;
  const example = exampleOf(operationId);
  const request = { ...example, url: example.url.replace(/\?.*/, '').replace(exampleSessionId, sessionId) };
  if (calledBy === undefined) return { request, credential: credentials };
  // A player renews and releases without a body, which names the subject for backends.
  const asPlayer = body === 'bytes' ? request : { ...request, body: undefined };
  return { request: asPlayer, credential: { Authorization: `Bearer ${drm.drmLicenseToken}` } };
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
  const { request, credential } = await callOf(operation);
  const response = await sendExample(playback, { ...request, url: request.url + added }, credential);
  if (operation.calledBy !== undefined) expect([200, 204]).toContain(response.status);
  else expect([response.status, Object.keys(response.body.errors)]).toEqual([400, ['CMCD', 'assetId', '_']]);
});

test('a release with an unknown query parameter frees the slot', async () => {
  const subject = 'viewer-of-a-cache-buster';
  const request = sessionRequest({ subject, contentId: tenant.content.contentId });
  const { body: session } = await playback.create(tenant, request).expect(200);
  await supertest(playback.app)
    .post(`${new URL(session.release.url).pathname}?t=1`)
    .set('Authorization', `Bearer ${session.drm.drmLicenseToken}`)
    .expect(204);
  const { body } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
  expect(body.items).toEqual([]);
});

test.each(operations.filter(({ method }) => method === 'get'))(
  'HEAD of $operationId returns the headers of GET and no body',
  async (operation) => {
    const { request, credential } = await callOf(operation);
    const get = await supertest(playback.app).get(request.url).set(credential).expect(200);
    const head = await supertest(playback.app).head(request.url).set(credential).expect(200);
    expect(head.text).toBeUndefined();
    for (const name of ['content-type', 'cache-control']) expect(head.headers[name]).toBe(get.headers[name]);
    expect(head.headers).toHaveProperty('content-length');
  },
);

test.each(['/openapi.json', '/docs/'])('HEAD of %s is answered too', async (path) => {
  await supertest(playback.app).head(path).expect(200);
});

const guarded = operations.filter(({ operationId }) => !/^get/.test(operationId));

describe.each(guarded)('a 401 from $operationId names the accepted scheme', (operation) => {
  const { operationId, method } = operation;
  const challengeTo = async (headers: Headers) => {
    const { request } = await callOf(operation);
    const response = await supertest(playback.app)[method](request.url).set(headers).expect(401);
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
