import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { slotKeys } from '@multi-drm/slots';
import { buckets, untilRedisTime } from '@multi-drm/slots/testing';
import { decodeJwt } from 'jose';
import { type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish, publishViewer } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(() => use({}));

async function use(settings: Parameters<typeof makeTenant>[0]): Promise<void> {
  tenant = makeTenant(settings);
  await playback.publish(tenant);
}

const subject = 'lms:3f9c:17';

async function start(overrides: object = {}): Promise<Session> {
  return (await playback.create(tenant, sessionRequest({ subject, ...overrides })).expect(200)).body;
}

const time = (text: string) => Date.parse(text);

test("a renewal returns the create's response with a later expiresAt and a fresh token", async () => {
  const session = await start();
  const { body: renewed, headers } = await playback.asPlayer(session, 'renew').expect(200);
  expect(headers['cache-control']).toBe('no-store');
  expect(renewed).toEqual({
    ...session,
    expiresAt: expect.any(String),
    serverTime: expect.any(String),
    drm: { ...session.drm, drmLicenseToken: expect.any(String), tokenExpiresAt: expect.any(String) },
  });
  expect(time(renewed.expiresAt)).toBeGreaterThan(time(session.expiresAt));
  expect(time(renewed.expiresAt) - time(renewed.serverTime)).toBe(14_400_000);
  const [first, second] = [session, renewed].map(({ drm }) => decodeJwt(drm.drmLicenseToken));
  expect(second).toMatchObject({ rid: first?.rid, pol: first?.pol, sid: session.sessionId });
  expect(second?.jti).not.toBe(first?.jti);
});

test('a player can renew with its first token until the token expires', async () => {
  const session = await start();
  await playback.asPlayer(session, 'renew').expect(200);
  await playback.asPlayer(session, 'renew').expect(200);
});

test('with a heartbeat, the session lasts 2.5 heartbeats, and the response says when to renew', async () => {
  await use({ heartbeatSeconds: 20 });
  const session = await start();
  expect(time(session.expiresAt) - time(session.serverTime)).toBe(50_000);
  expect(session.renewal).toEqual({
    url: session.release.url.replace(/release$/, 'renew'),
    method: 'POST',
    authorizationScheme: 'Bearer',
    intervalSeconds: 20,
  });
});

test('a session that has reached the maximum has no renewal in its response', async () => {
  await use({ sessionLifetimeSeconds: 3600, maximumSessionSeconds: 3601 });
  const session = await start();
  expect(session.renewal).toBeDefined();
  await untilRedisTime(playback.redis, new Date(time(session.serverTime) + 1100));
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  expect(time(renewed.expiresAt) - time(session.expiresAt)).toBeLessThanOrEqual(1000);
  expect(renewed.renewal).toBeUndefined();
});

test('a session that starts with the maximum length cannot be renewed', async () => {
  await use({ sessionLifetimeSeconds: 3600, maximumSessionSeconds: 3600 });
  expect((await start()).renewal).toBeUndefined();
});

test('a session keeps its policy when profiles and settings change; new sessions get the new one', async () => {
  const session = await start();
  tenant.environment.settings.defaultLicensePolicyTemplate = 'single-hardware';
  await playback.publish(tenant);
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  expect(renewed.policy).toEqual(session.policy);
  expect((await start()).policy.template).toBe('single-hardware');
});

describe('a renewal checks what changed since the start', () => {
  test.each<[string, string, () => Promise<unknown>]>([
    [
      'a viewer that was blocked',
      'subject_blocked',
      () => publishViewer(playback.redis, tenant, { subject, status: 'blocked' }),
    ],
    [
      'content that was unpublished',
      'content_not_published',
      () => publishContent({ ...tenant.content, status: 'draft' }),
    ],
    ['content that was removed', 'content_not_found', () => publishContent(null)],
    [
      'an organization that was suspended',
      'environment_suspended',
      () => playback.publish({ ...tenant, organization: { ...tenant.organization, status: 'suspended' } }),
    ],
    [
      'a DRM system that was switched off',
      'drm_system_not_supported',
      () => playback.publish({ ...tenant, environment: { ...tenant.environment, drmSystems: [] } }),
    ],
  ])('%s: %s, and the slot stays', async (_case, code, change) => {
    const session = await start();
    await change();
    const { body } = await playback.asPlayer(session, 'renew');
    expect(body.code).toBe(code);
    await playback.publish(tenant);
    const { body: list } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
    expect(list.items).toMatchObject([{ sessionId: session.sessionId, expiresAt: session.expiresAt }]);
  });

  const publishContent = (document: object | null) =>
    publish(
      playback.redis,
      publishedKeys.content(tenant.environment.environmentId, tenant.content.contentId),
      document,
    );
});

test('revoking an API client does not end its sessions', async () => {
  const session = await start();
  await publish(playback.redis, publishedKeys.apiClient(tenant.client.clientId), null);
  await playback.create(tenant, sessionRequest()).expect(401);
  await playback.asPlayer(session, 'renew').expect(200);
});

describe('a backend', () => {
  const byClient = (sessionId: string) => playback.asClient(tenant, 'post', `/sessions/${sessionId}/renew`);

  test('renews a session of the named subject', async () => {
    const session = await start();
    const { body } = await byClient(session.sessionId).send({ subject }).expect(200);
    expect(body.sessionId).toBe(session.sessionId);
  });

  test('finds no session under another subject', async () => {
    const session = await start();
    const { body } = await byClient(session.sessionId).send({ subject: 'somebody else' }).expect(404);
    expect(body.code).toBe('session_not_found');
  });

  test('must name the subject', async () => {
    expect((await byClient(randomUUID()).expect(400)).body.errors).toEqual({ subject: ['is required'] });
  });
});

test('the state of the session is checked before the expiry of the token', async () => {
  await use({ licenseTokenLifetimeSeconds: 1 });
  const session = await start();
  for (;;) {
    const { body } = await playback.asPlayer(session, 'renew');
    if (body.code === 'token_expired') break;
  }
  await playback.asPlayer(session, 'release').expect(204);
  expect((await playback.asPlayer(session, 'renew').expect(403)).body.code).toBe('session_released');
});

test('a token of an earlier reservation of the same id cannot renew', async () => {
  const sessionId = randomUUID();
  const request = sessionRequest({ subject, sessionId });
  const { body: session } = await playback.create(tenant, request).expect(200);
  // The same id is reserved again, as after an undo or after Redis lost its data.
  await playback.redis.del(slotKeys(buckets, tenant.environment.environmentId, subject).slots);
  await playback.create(tenant, request).expect(200);
  const { body } = await playback.asPlayer(session, 'renew').expect(401);
  expect(body).toMatchObject({ code: 'token_invalid', detail: expect.stringContaining('another reservation') });
});

describe('the number of scripts on Redis', () => {
  async function scriptsOf(renewal: () => Promise<unknown>): Promise<number> {
    const commands = jest.spyOn(playback.redis, 'sendCommand');
    await renewal();
    // `eval` is the first call of a script on a connection: a cluster has several.
    const scripts = commands.mock.calls.filter(([{ name }]) => name === 'evalsha' || name === 'eval');
    commands.mockRestore();
    return scripts.length;
  }
  const byPlayer = (session: Session) => async () => playback.asPlayer(session, 'renew').expect(200);

  test('is one for a player, whose token describes the session', async () => {
    const session = await start();
    expect(await scriptsOf(byPlayer(session))).toBe(1);
    const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
    expect(await scriptsOf(byPlayer(renewed))).toBe(1);
  });

  test('is two for a backend, and for a player just before its token expires', async () => {
    await use({ licenseTokenLifetimeSeconds: 4 });
    const session = await start();
    expect(await scriptsOf(byPlayer(session))).toBe(2);
    const byClient = playback.asClient(tenant, 'post', `/sessions/${session.sessionId}/renew`).send({ subject });
    expect(await scriptsOf(async () => byClient.expect(200))).toBe(2);
  });
});

test('a session keeps its first grant if its create is repeated after a change', async () => {
  const request = sessionRequest({ subject, sessionId: randomUUID() });
  const { body: first } = await playback.create(tenant, request).expect(200);
  Object.assign(tenant.environment.settings, { heartbeatSeconds: 20, defaultLicensePolicyTemplate: 'single-hardware' });
  await playback.publish(tenant);
  const { body: repeated } = await playback.create(tenant, request).expect(200);
  const { body: renewed } = await playback.asPlayer(repeated, 'renew').expect(200);
  expect(renewed).toMatchObject({ renewal: first.renewal, policy: first.policy });
});

test('an ended session is reported as ended, even if its content is no longer there', async () => {
  const session = await start();
  await playback.asPlayer(session, 'release').expect(204);
  const { environmentId } = tenant.environment;
  await publish(playback.redis, publishedKeys.content(environmentId, tenant.content.contentId), null);
  expect((await playback.asPlayer(session, 'renew').expect(403)).body.code).toBe('session_released');
});

test('a session that renews too often gets Retry-After and stays active', async () => {
  const limited = await startPlayback({ environment: { SESSION_REQUESTS_PER_MINUTE: '2' } });
  const { body: session } = await limited.create(tenant, sessionRequest()).expect(200);
  await limited.asPlayer(session, 'renew').expect(200);
  await limited.asPlayer(session, 'renew').expect(200);
  const { body, headers } = await limited.asPlayer(session, 'renew').expect(429);
  expect(body.code).toBe('rate_limited');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  await limited.asPlayer(session, 'release').expect(204);
});
