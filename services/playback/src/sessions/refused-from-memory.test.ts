import { createHash, randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import supertest from 'supertest';
import { type Playback, type Session, sessionRequest, startPlaybackOnOwnRedis } from '../testing/playback';
import { publishContentKeys } from '../testing/published-backend';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

/** The cache of playback is older than Redis: the change message has not arrived yet. */

/** A Redis of its own: completeness marks published by other suites would cause additional reads. */
let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlaybackOnOwnRedis();
});
beforeEach(() => {
  tenant = makeTenant();
});

const subject = 'viewer-1';
const create = (overrides: object = {}) => playback.create(tenant, sessionRequest({ subject, ...overrides }));

/** Writes a document as the control plane does, but without a change message. */
async function writeSilently(key: string, document: object): Promise<void> {
  await playback.redis.hset(key, { revision: 1_000_000, document: JSON.stringify(document) });
}

const changeEnvironment = (change: Partial<PublishedTenant['environment']>) =>
  writeSilently(publishedKeys.environment(tenant.environment.environmentId), { ...tenant.environment, ...change });
const changeSettings = (settings: object) =>
  changeEnvironment({ settings: { ...tenant.environment.settings, ...settings } });
const changeContent = (change: object) => {
  const { environmentId, contentId } = tenant.content;
  return writeSilently(publishedKeys.content(environmentId, contentId), { ...tenant.content, ...change });
};
const changeClient = (change: object) =>
  writeSilently(publishedKeys.apiClient(tenant.client.clientId), { ...tenant.client, ...change });
const hashOf = (accessKey: string) => createHash('sha256').update(accessKey).digest('hex');

test('a new API client is accepted with its next request, even if it was just unknown', async () => {
  const { client, accessKey } = makeTenant();
  await playback.publish(tenant);
  tenant = { ...tenant, client: { ...client, projectId: tenant.environment.projectId }, accessKey };
  await create().expect(401);
  await changeClient({});
  await create().expect(200);
});

test("a client's new access key, permission and environment apply from the next request", async () => {
  const narrow = { accessKeyHashes: [], permissions: ['sessions:read'], environmentIds: [randomUUID()] };
  const { client } = tenant;
  await playback.publish({ ...tenant, client: { ...client, ...narrow } });
  await create().expect(401);
  await changeClient({ ...narrow, accessKeyHashes: [hashOf(tenant.accessKey)] });
  await create().expect(403);
  await changeClient({ permissions: client.permissions, environmentIds: narrow.environmentIds });
  await create().expect(404);
  await changeClient({});
  await create().expect(200);
});

test('content is playable from the next request after its registration and its publication', async () => {
  await playback.publish({ ...tenant, content: { ...tenant.content, contentId: 'another' } });
  await create().expect(404);
  await changeContent({ status: 'draft' });
  await create().expect(409);
  await changeContent({});
  await create().expect(200);
});

test("an environment's raised limit applies from the next request, in a create and an evaluation", async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
  await create().expect(200);
  await create().expect(429);
  await changeSettings({ maximumConcurrentStreams: 2 });
  const evaluation = playback.asClient(tenant, 'post', '/sessions/evaluations').send(sessionRequest({ subject }));
  expect((await evaluation.expect(200)).body.allowed).toBe(true);
  await changeSettings({ maximumConcurrentStreams: 3 });
  await create().expect(200);
  expect((await create().expect(200)).body.policy.maximumConcurrentStreams).toBe(3);
  await create().expect(429);
});

test("an organization's raised plan and its activation apply from the next request", async () => {
  const { organization } = tenant;
  const key = publishedKeys.organization(organization.organizationId);
  await playback.publish({ ...tenant, organization: { ...organization, status: 'pending' } });
  await create().expect(403);
  await writeSilently(key, { ...organization, maximumConcurrentStreams: 1 });
  await create().expect(200);
  await create({ subject: 'another' }).expect(429);
  await writeSilently(key, { ...organization, maximumConcurrentStreams: 2 });
  await create({ subject: 'another' }).expect(200);
});

test('a DRM system and a default policy apply from the next request after they are set', async () => {
  const { settings, drmSystems } = tenant.environment;
  const bare = { drmSystems: [], settings: { ...settings, defaultLicensePolicyTemplate: null } };
  await playback.publish({ ...tenant, environment: { ...tenant.environment, ...bare } });
  expect((await create().expect(422)).body.code).toBe('license_policy_required');
  await changeEnvironment({ drmSystems: [] });
  expect((await create().expect(422)).body.code).toBe('drm_system_not_supported');
  await changeEnvironment({ drmSystems });
  await create().expect(200);
});

test('a session can be renewed as soon as what it needs is back', async () => {
  await playback.publish(tenant);
  const { body: session } = await create().expect(200);
  await playback.publish({ ...tenant, content: { ...tenant.content, status: 'draft' } });
  await playback.asPlayer(session, 'renew').expect(409);
  await changeContent({});
  await playback.asPlayer(session, 'renew').expect(200);
});

test('an origin is accepted as soon as the environment allows it', async () => {
  tenant = makeTenant({ allowedOrigins: ['https://one.example'] });
  await playback.publish(tenant);
  const path = `/api/v1/playback/environments/${tenant.environment.environmentId}/licenses/widevine`;
  const allowedFor = async (origin: string) =>
    (await supertest(playback.app).post(path).set('Origin', origin)).headers['access-control-allow-origin'];
  expect(await allowedFor('https://two.example')).toBeUndefined();
  await changeSettings({ allowedOrigins: ['https://one.example', 'https://two.example'] });
  expect(await allowedFor('https://two.example')).toBe('https://two.example');
});

test('a FairPlay certificate is served as soon as it exists', async () => {
  const { environmentId } = tenant.environment;
  const path = `/api/v1/playback/environments/${environmentId}/certificates/fairplay`;
  await playback.publish(tenant);
  await supertest(playback.app).get(path).expect(404);
  await writeSilently(publishedKeys.licenseBackend(environmentId, 'fairplay'), {
    environmentId,
    drmSystem: 'fairplay',
    enabled: true,
    backend: null,
    certificate: Buffer.from('certificate').toString('base64'),
    settingsVersion: '1',
  });
  await supertest(playback.app).get(path).expect(200);
});

describe('a license request uses the configured backend', () => {
  const clearKey = { type: 'clearkey', settings: {}, encryptedSecrets: {} };
  const configure = (backend: object | null) => {
    const { environmentId } = tenant.environment;
    const document = { environmentId, drmSystem: 'widevine', enabled: true, backend, certificate: null };
    return writeSilently(publishedKeys.licenseBackend(environmentId, 'widevine'), {
      ...document,
      settingsVersion: '1',
    });
  };
  const clearKeyLicense = async (session: Session) => {
    const [{ keyId = '' } = {}] = tenant.content.keys;
    const kid = Buffer.from(keyId.replaceAll('-', ''), 'hex').toString('base64url');
    return playback.license(session, Buffer.from(JSON.stringify({ kids: [kid], type: 'temporary' })));
  };

  // Port 9 (discard) of loopback, where nothing listens.
  const unreachable = {
    type: 'http',
    settings: { url: 'http://127.0.0.1:9/', responseFormat: 'raw' },
    encryptedSecrets: {},
  };
  const start = async () => {
    await playback.publish(tenant);
    await publishContentKeys(playback.redis, tenant);
    return (await create().expect(200)).body;
  };

  test.each([
    ['none', null],
    ['another one, which does not accept the challenge', unreachable],
  ])('even if %s is cached', async (_case, before) => {
    const session = await start();
    await configure(before);
    expect((await clearKeyLicense(session)).status).toBe(422);
    await configure(clearKey);
    expect((await clearKeyLicense(session)).status).toBe(200);
  });

  test('even if the cached one cannot be reached', async () => {
    const session = await start();
    const challenge = () => playback.license(session, Buffer.from([8, 4]));
    await configure(unreachable);
    expect((await challenge()).status).toBe(502);
    await configure(null);
    expect((await challenge()).body.code).toBe('license_backend_not_configured');
  });
});

test('a refusal that depends on no document rereads none, and a refusal at the limit is not reserved twice', async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
  const sessionId = randomUUID();
  await create({ sessionId }).expect(200);
  const commands = jest.spyOn(playback.redis, 'sendCommand');
  await create({ sessionId, applicationId: 'another' }).expect(409);
  // The connection also sends its own pings.
  const sent = (but: string[]) =>
    commands.mock.calls.map(([{ name }]) => name).filter((name) => !['ping', ...but].includes(name));
  // The reservation and the generation check.
  expect(sent([])).toEqual(['evalsha', 'hmget']);
  commands.mockClear();
  await create().expect(429);
  expect(sent(['hget', 'hmget'])).toEqual(['evalsha']);
  commands.mockRestore();
});
