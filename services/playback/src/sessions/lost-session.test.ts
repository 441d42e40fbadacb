import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { slotKeys } from '@multi-drm/slots';
import { buckets, redisTime, rememberedUntil, untilRedisTime } from '@multi-drm/slots/testing';
import { type Playback, type Session, sessionRequest, startPlaybackOnOwnRedis } from '../testing/playback';
import { publishBackend } from '../testing/published-backend';
import { makeTenant, type PublishedTenant, publish, publishViewer } from '../testing/published-tenant';

// Sessions that Redis has lost: a failover to a replica that had not received them, or an emptied Redis.

/** A Redis of its own, because it is emptied. */
let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlaybackOnOwnRedis();
});
beforeEach(() => use({}));

async function use(settings: Parameters<typeof makeTenant>[0]): Promise<void> {
  tenant = makeTenant(settings);
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
}

const subject = 'viewer-1';
const create = (overrides: object = {}) => playback.create(tenant, sessionRequest({ subject, ...overrides }));
const start = async (overrides: object = {}): Promise<Session> => (await create(overrides).expect(200)).body;

/** As a failover does if the replica had received nothing of the viewer. */
async function loseSessions(): Promise<void> {
  const { slots, active, ended } = slotKeys(buckets, tenant.environment.environmentId, subject);
  await Promise.all([slots, active, ended].map((key) => playback.redis.del(key)));
}

const list = async () =>
  (await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200)).body.items;
const codeOf = async (session: Session) => (await playback.asPlayer(session, 'renew')).body.code;

test('a lost session is renewed as if it had not been lost', async () => {
  const details = { applicationId: 'web', attemptId: 'attempt-1', reporting: { course: 'history' } };
  const session = await start(details);
  const [before] = await list();
  await loseSessions();
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  expect(renewed).toMatchObject({ sessionId: session.sessionId, policy: session.policy, renewal: session.renewal });
  // The token does not carry what is only for the customer.
  expect(await list()).toEqual([{ ...before, expiresAt: renewed.expiresAt, reporting: null }]);
});

test('a license request brings a lost session back, with its first start and its last end', async () => {
  const session = await start();
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  const [before] = await list();
  await loseSessions();
  // The challenge is not for the backend, which is checked after the session.
  await playback.license(renewed, Buffer.from([8, 4])).expect(422);
  expect(await list()).toEqual([{ ...before, licenseRequests: 1 }]);
});

test('two calls at the same time bring a session back once', async () => {
  const session = await start();
  await loseSessions();
  const answers = await Promise.all([1, 2, 3].map(() => playback.asPlayer(session, 'renew')));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await list()).toHaveLength(1);
});

test('at the limit, a lost session is not found, and no other session ends', async () => {
  const policy = { maximumConcurrentStreams: 1, atStreamLimit: 'evict-oldest' };
  const lost = await start({ licensePolicy: policy });
  await loseSessions();
  const other = await start({ licensePolicy: policy });
  expect(await codeOf(lost)).toBe('session_not_found');
  expect((await playback.license(lost, Buffer.from([8, 4])).expect(404)).body.code).toBe('session_not_found');
  expect(await list()).toMatchObject([{ sessionId: other.sessionId }]);
  await playback.asPlayer(other, 'release').expect(204);
  await playback.asPlayer(lost, 'renew').expect(200);
});

test('a released session does not come back, even if it was released after it was lost', async () => {
  const [released, later] = [await start(), await start()];
  await playback.asPlayer(released, 'release').expect(204);
  expect(await codeOf(released)).toBe('session_released');
  await loseSessions();
  await playback.asPlayer(later, 'release').expect(204);
  expect(await codeOf(later)).toBe('session_not_found');
  expect(await list()).toEqual([]);
});

test.each([
  [
    'terminated by a backend',
    ({ sessionId }: Session) =>
      playback
        .asClient(tenant, 'post', `/sessions/${sessionId}/release`)
        .send({ subject, reason: 'terminated' })
        .expect(204),
  ],
  ['replaced by another one', ({ sessionId }: Session) => create({ replacesSessionId: sessionId }).expect(200)],
])('a lost session that was %s does not come back for as long as any session lasts', async (_how, end) => {
  const session = await start();
  await loseSessions();
  const before = await redisTime(playback.redis);
  await end(session);
  expect(await codeOf(session)).toBe('session_not_found');
  const { environmentId } = tenant.environment;
  const until = await rememberedUntil(playback.redis, { environmentId, subject, sessionId: session.sessionId });
  expect(until).toBeGreaterThanOrEqual(before + 86_400_000);
});

test('a lost session does not come back after its end', async () => {
  await use({ sessionLifetimeSeconds: 1 });
  const session = await start();
  await loseSessions();
  await untilRedisTime(playback.redis, new Date(session.expiresAt));
  expect(await codeOf(session)).toBe('session_not_found');
});

test('a lost session of a blocked viewer does not come back', async () => {
  const session = await start();
  await loseSessions();
  await publishViewer(playback.redis, tenant, { subject, status: 'blocked' });
  expect(await codeOf(session)).toBe('session_not_found');
});

test("a lost session counts as a start against the organization's plan", async () => {
  tenant.organization.maximumConcurrentStreams = 1;
  await playback.publish(tenant);
  const session = await start();
  await loseSessions();
  await playback.redis.del(`organization-streams:{${tenant.organization.organizationId}}`);
  const other = await start({ subject: 'another' });
  expect(await codeOf(session)).toBe('session_not_found');
  await playback.asPlayer(other, 'release').expect(204);
  // The streams are counted once a second.
  while ((await codeOf(session)) === 'session_not_found');
  expect(await list()).toMatchObject([{ sessionId: session.sessionId }]);
  expect((await create({ subject: 'another' }).expect(429)).body.code).toBe('organization_stream_limit_reached');
});

test("a lost session whose stream is still counted comes back, although the organization's plan is full", async () => {
  tenant.organization.maximumConcurrentStreams = 1;
  await playback.publish(tenant);
  // As if the streams had just been recounted: a recount would find that the slot is lost.
  await playback.redis.set(`organization-streams-recounted:{${tenant.organization.organizationId}}`, '1');
  const session = await start();
  expect((await create({ subject: 'another' }).expect(429)).body.code).toBe('organization_stream_limit_reached');
  await loseSessions();
  await playback.asPlayer(session, 'renew').expect(200);
  expect((await create({ subject: 'another' }).expect(429)).body.code).toBe('organization_stream_limit_reached');
});

test('a lost session whose environment was archived is not found', async () => {
  const session = await start();
  await loseSessions();
  await publish(playback.redis, publishedKeys.environment(tenant.environment.environmentId), null);
  expect(await codeOf(session)).toBe('session_not_found');
});

test('the token of a repeated create brings the session back, too, with its first grant', async () => {
  const request = sessionRequest({ subject, sessionId: randomUUID() });
  const { body: first } = await playback.create(tenant, request).expect(200);
  Object.assign(tenant.environment.settings, { heartbeatSeconds: 20, defaultLicensePolicyTemplate: 'single-hardware' });
  await playback.publish(tenant);
  const { body: repeated } = await playback.create(tenant, request).expect(200);
  await loseSessions();
  const { body: renewed } = await playback.asPlayer(repeated, 'renew').expect(200);
  expect(renewed).toMatchObject({ renewal: first.renewal, policy: first.policy });
});

test('a backend, which has no token, does not find a lost session', async () => {
  const { sessionId } = await start();
  await loseSessions();
  const renewal = playback.asClient(tenant, 'post', `/sessions/${sessionId}/renew`).send({ subject });
  expect((await renewal.expect(404)).body.code).toBe('session_not_found');
});

describe('after Redis was emptied', () => {
  test('a session is 503 until everything is published again, and then continues', async () => {
    const session = await start();
    await playback.redis.flushall();
    const { body } = await playback.asPlayer(session, 'renew').expect(503);
    expect(body).toMatchObject({ code: 'service_unavailable', retryable: true });
    await playback.license(session, Buffer.from([8, 4])).expect(503);
    await playback.publish(tenant);
    await playback.asPlayer(session, 'renew').expect(200);
  });

  test('a viewer who was blocked does not come back, even if everything else is cached', async () => {
    const session = await start();
    await publishViewer(playback.redis, tenant, { subject, status: 'blocked' });
    expect(await codeOf(session)).toBe('subject_blocked');
    await playback.redis.flushall();
    await playback.asPlayer(session, 'renew').expect(503);
    // The second key would stay from a slot that was reserved only for a moment, in which other calls could use it.
    expect(await playback.redis.keys('slots:*')).toEqual([]);
    expect(await playback.redis.keys('expiring-environments:*')).toEqual([]);
  });

  test('a viewer who was blocked does not come back, even if Redis is emptied just before the reservation', async () => {
    const session = await start();
    await loseSessions();
    await publishViewer(playback.redis, tenant, { subject, status: 'blocked' });
    const reserve = playback.redis.restoreSlot.bind(playback.redis);
    jest.spyOn(playback.redis, 'restoreSlot').mockImplementationOnce(async (...call) => {
      await playback.redis.flushall();
      return reserve(...call);
    });
    await playback.asPlayer(session, 'renew').expect(503);
    expect(await playback.redis.keys('slots:*')).toEqual([]);
  });
});
