import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant } from '../testing/published-tenant';

// One test for each fact that existing integrations rely on (docs/contract-v1.md, "Compatibility within v1"). The configurable
// header prefix is tested in access/authorize.test.ts.

let playback: Playback;
const tenant = makeTenant({ maximumConcurrentStreams: null });

beforeAll(async () => {
  tenant.content.manifests = [
    {
      type: 'dash',
      url: 'https://cdn.example.com/any.mpd',
      drmSystems: ['widevine', 'playready', 'fairplay', 'wiseplay'],
    },
  ];
  playback = await startPlayback();
  await playback.publish(tenant);
});

const systems = ['widevine', 'playready', 'fairplay', 'wiseplay'];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const create = (overrides: object = {}) => playback.create(tenant, sessionRequest(overrides));
const start = async (overrides: object = {}) => (await create(overrides).expect(200)).body;

test('a create returns 200, never 201, the first time and repeated', async () => {
  const request = sessionRequest({ sessionId: randomUUID() });
  expect((await playback.create(tenant, request)).status).toBe(200);
  expect((await playback.create(tenant, request)).status).toBe(200);
});

test('a release with an empty body that a browser labels text/plain;charset=UTF-8 returns 204', async () => {
  const session = await start();
  const { text, headers } = await playback
    .asPlayer(session, 'release')
    .set('Content-Type', 'text/plain;charset=UTF-8')
    .set('Content-Length', '0')
    .send('')
    .expect(204);
  expect([text, headers['content-type']]).toEqual(['', undefined]);
});

test.each([1, 200])('a contentId may have %i bytes of UTF-8', async (length) => {
  const contentId = length === 1 ? 'x' : `${'é'.repeat(99)}xy`;
  await playback.publish({ ...tenant, content: { ...tenant.content, contentId } });
  expect((await start({ contentId })).contentId).toBe(contentId);
});

test('without sessionId, the service generates a UUID and returns it', async () => {
  const [one, other] = [await start(), await start()];
  expect([one.sessionId, other.sessionId]).toEqual([expect.stringMatching(uuid), expect.stringMatching(uuid)]);
  expect(one.sessionId).not.toBe(other.sessionId);
  const { body } = await create().set('Idempotency-Key', 'attempt-1').expect(200);
  expect(body.sessionId).toMatch(uuid);
});

test.each<[string, object, string | null]>([
  ['a template', { licensePolicyTemplate: 'single-hdcp' }, 'single-hdcp'],
  ['a custom policy', { licensePolicy: { maximumHeight: 480 } }, null],
])('useEnvironmentDefaults may be true together with %s', async (_what, selection, template) => {
  expect((await start({ ...selection, useEnvironmentDefaults: true })).policy.template).toBe(template);
});

test('attemptId and reporting are accepted and do not change the response', async () => {
  const [plain, marked] = [await start(), await start({ attemptId: 'attempt-7', reporting: { course: 'algebra' } })];
  const shape = ({ contentId, policy, tracks, manifestUrls }: typeof plain) => ({
    contentId,
    policy,
    tracks,
    manifestUrls,
  });
  expect(shape(marked)).toEqual(shape(plain));
  expect(Object.keys(marked)).toEqual(Object.keys(plain));
});

test.each<[string, object]>([
  ['secureDecoder: null', { secureDecoder: null }],
  ['null for a known field', { clientPlatform: null, drmSystems: null, manifestTypes: null, maximumHeight: null }],
  ['an unknown field', { hdrFormats: ['dolby-vision'] }],
])('platformCapabilities with %s is accepted', async (_what, platformCapabilities) => {
  await create({ platformCapabilities }).expect(200);
});

test.each(['single-software', 'single-hdcp', 'single-hardware', 'multi-tier-standard'])(
  'there is a built-in template %s',
  async (name) => {
    const { policy } = await start({ licensePolicyTemplate: name, useEnvironmentDefaults: false });
    expect(policy.template).toBe(name);
  },
);

test.each([1, 480, 1081, 4320])('policy.maximumHeight is the integer %i', async (maximumHeight) => {
  expect((await start({ licensePolicy: { maximumHeight } })).policy.maximumHeight).toBe(maximumHeight);
});

test('contractVersion is the integer 1', async () => {
  expect((await start()).contractVersion).toBe(1);
});

test('sessionId, contentId, contentType, drmSystem and playbackMode are echoed', async () => {
  const echoed = {
    sessionId: `attempt.${randomUUID()}~1`,
    contentId: 'lesson-0042',
    contentType: 'vod',
    drmSystem: 'playready',
    playbackMode: 'streaming',
  };
  expect(await start(echoed)).toMatchObject(echoed);
});

test.each(systems)('drm.system equals drmSystem, and drm.integrationMode is direct-token: %s', async (drmSystem) => {
  const session = await start({ drmSystem });
  expect(session.drm).toMatchObject({ system: drmSystem, integrationMode: 'direct-token' });
});

test.each(systems)('drm.fairPlayCertificateUrl is current for fairplay only: %s', async (drmSystem) => {
  const { drm } = await start({ drmSystem });
  const { environmentId } = tenant.environment;
  const url = `https://playback.example.com/api/v1/playback/environments/${environmentId}/certificates/fairplay`;
  expect(drm.fairPlayCertificateUrl).toBe(drmSystem === 'fairplay' ? url : undefined);
});

test('release.method is POST, and release.url accepts the license token as Bearer', async () => {
  const { release, drm } = await start();
  expect(release).toMatchObject({ method: 'POST', authorizationScheme: 'Bearer' });
  await supertest(playback.app)
    .post(new URL(release.url).pathname)
    .set('Authorization', `${release.authorizationScheme} ${drm.drmLicenseToken}`)
    .expect(204);
});

test.each<[string, number, () => ReturnType<typeof create>]>([
  ['a refused create', 404, () => create({ contentId: 'never registered' })],
  ['an invalid create', 400, () => create({ subject: '' })],
  ['a create without a valid credential', 401, () => playback.create({ ...tenant, accessKey: 'x' }, {})],
  ['a list', 400, () => playback.asClient(tenant, 'get', '/sessions?limit=0')],
  ['an evaluation', 400, () => playback.asClient(tenant, 'post', '/sessions/evaluations').send({})],
])('the problem for %s has code, requestId, retryable and contractVersion 1', async (_what, status, call) => {
  const { body, headers } = await call().expect(status);
  expect(body).toMatchObject({ code: expect.any(String), retryable: false, contractVersion: 1 });
  expect(body.requestId).toBe(headers['x-request-id']);
});

test('the concurrent stream limit returns 429', async () => {
  const request = sessionRequest({ licensePolicy: { maximumConcurrentStreams: 1 } });
  await playback.create(tenant, request).expect(200);
  const { body } = await playback.create(tenant, request).expect(429);
  expect(body).toMatchObject({ status: 429, code: 'concurrent_stream_limit_reached', retryable: false });
});
