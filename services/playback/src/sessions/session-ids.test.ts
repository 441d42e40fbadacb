import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { untilRedisTime } from '@multi-drm/slots/testing';
import { type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;
let request: Record<string, unknown>;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  await use({});
  request = sessionRequest({ sessionId: randomUUID() });
});

async function use(settings: Parameters<typeof makeTenant>[0]): Promise<void> {
  tenant = makeTenant(settings);
  await playback.publish(tenant);
}

const create = (overrides: object = {}) => playback.create(tenant, { ...request, ...overrides });
const endBy = (session: Session, reason: string) =>
  playback
    .asClient(tenant, 'post', `/sessions/${session.sessionId}/release`)
    .send({ subject: request.subject, reason })
    .expect(204);

describe('a create gets 409 session_id_reused', () => {
  test.each<[string, Parameters<typeof makeTenant>[0], (session: Session) => Promise<unknown>]>([
    ['after its release', {}, async (session) => playback.asPlayer(session, 'release').expect(204)],
    ['after its termination', {}, async (session) => endBy(session, 'terminated')],
    [
      'after its eviction',
      {},
      async () => {
        const licensePolicy = { maximumConcurrentStreams: 1, atStreamLimit: 'evict-oldest' };
        await create({ sessionId: randomUUID(), licensePolicy }).expect(200);
      },
    ],
    [
      'after its expiry',
      { sessionLifetimeSeconds: 1 },
      async ({ expiresAt }) => untilRedisTime(playback.redis, new Date(expiresAt)),
    ],
    [
      'after its replacement',
      {},
      async ({ sessionId }) => create({ sessionId: randomUUID(), replacesSessionId: sessionId }).expect(200),
    ],
  ])('%s', async (_end, settings, end) => {
    await use(settings);
    const { body: session } = await create().expect(200);
    await end(session);
    expect((await create().expect(409)).body.code).toBe('session_id_reused');
  });

  test.each<[string, object]>([
    ['contentId', { contentId: 'another' }],
    ['drmSystem', { drmSystem: 'playready' }],
    ['attemptId', { attemptId: 'attempt-2' }],
    ['platformCapabilities', { platformCapabilities: { clientPlatform: 'web' } }],
  ])('for an active session with another %s', async (_field, overrides) => {
    const content = { ...tenant.content, contentId: 'another' };
    await playback.publish({ ...tenant, content });
    await create().expect(200);
    expect((await create(overrides).expect(409)).body.code).toBe('session_id_reused');
  });
});

describe('a repeat returns its session', () => {
  const capabilities = { drmSystems: ['widevine'] };

  test.each<[string, object, object]>([
    ['null for optional fields', {}, { applicationId: null, reporting: null, licensePolicy: null, playbackMode: null }],
    ['empty strings', {}, { applicationId: '', attemptId: '' }],
    ['hints that are all null', {}, { platformCapabilities: { secureDecoder: null, clientPlatform: null } }],
    ['no hints at all', {}, { platformCapabilities: null }],
    [
      'hints that are partly null or empty',
      { platformCapabilities: capabilities },
      { platformCapabilities: { ...capabilities, secureDecoder: null, manifestTypes: null, sdkVersion: '' } },
    ],
    [
      'null inside a policy',
      { licensePolicy: { maximumHeight: 480 } },
      { licensePolicy: { maximumHeight: 480, maximumConcurrentStreams: null, atStreamLimit: null } },
    ],
  ])('with %s', async (_what, first, repeat) => {
    const { body } = await create(first).expect(200);
    expect((await create(repeat).expect(200)).body).toMatchObject({ expiresAt: body.expiresAt });
    expect((await create(first).expect(200)).body).toMatchObject({ expiresAt: body.expiresAt });
  });

  test('but not with null in data that is stored unchanged', async () => {
    await create({ reporting: { course: 7 } }).expect(200);
    await create({ reporting: { course: 7, lesson: null } }).expect(409);
  });
});

test('the same id under another subject is another session', async () => {
  const { body: one } = await create({ subject: 'one' }).expect(200);
  const { body: other } = await create({ subject: 'other' }).expect(200);
  await playback.asPlayer(one, 'release').expect(204);
  await playback.asPlayer(other, 'renew').expect(200);
});

test('the same id in another environment is another session', async () => {
  const { body: one } = await create().expect(200);
  await use({});
  const { body: other } = await create().expect(200);
  expect(other.sessionId).toBe(one.sessionId);
});

describe('the same Idempotency-Key', () => {
  const { sessionId: _named, ...unnamed } = sessionRequest({ sessionId: randomUUID() });
  const createBy = (key: string, overrides: object = {}) =>
    playback.create(tenant, { ...unnamed, ...overrides }).set('Idempotency-Key', key);

  test('with another body gets idempotency_key_reused, also after the end of the session', async () => {
    const { body: session } = await createBy('attempt-1').expect(200);
    const another = { applicationId: 'another' };
    const { body } = await createBy('attempt-1', another).expect(422);
    expect(body).toMatchObject({
      code: 'idempotency_key_reused',
      detail: 'The Idempotency-Key was already used with a different body. Use a new one for each playback attempt.',
    });
    await playback.asPlayer(session, 'release').expect(204);
    expect((await createBy('attempt-1', another).expect(422)).body.code).toBe('idempotency_key_reused');
    const { body: ended } = await createBy('attempt-1').expect(409);
    expect([ended.code, ended.detail]).toEqual(['session_id_reused', expect.stringContaining('The Idempotency-Key')]);
  });

  test('is ignored together with a sessionId', async () => {
    await create().set('Idempotency-Key', 'attempt-1').expect(200);
    const { body } = await create({ applicationId: 'another' }).set('Idempotency-Key', 'attempt-1').expect(409);
    expect(body.detail).toBe(
      'The session id was already used with a different body. Use a new one for each playback attempt.',
    );
  });

  const idOf = async (caller: PublishedTenant, subject = request.subject) => {
    const { sessionId: _own, ...keyed } = request;
    const { body } = await playback
      .create(caller, { ...keyed, subject })
      .set('Idempotency-Key', 'attempt-1')
      .expect(200);
    return body.sessionId;
  };

  test('for another viewer is another session with another id', async () => {
    expect(await idOf(tenant, 'another viewer')).not.toBe(await idOf(tenant));
  });

  test('of another API client is another session', async () => {
    const { client, accessKey } = makeTenant();
    const { projectId } = tenant.client;
    const other = { ...tenant, client: { ...client, projectId }, accessKey };
    await playback.publish(other);
    expect(await idOf(other)).not.toBe(await idOf(tenant));
  });

  test('in another environment is another session', async () => {
    const environment = { ...tenant.environment, environmentId: randomUUID() };
    const content = { ...tenant.content, environmentId: environment.environmentId };
    const other = { ...tenant, environment, content };
    await playback.publish(other);
    expect(await idOf(other)).not.toBe(await idOf(tenant));
  });
});

test('a repeat checks eligibility again, and the slot stays', async () => {
  const { body: session } = await create().expect(200);
  const key = publishedKeys.content(tenant.environment.environmentId, tenant.content.contentId);
  await publish(playback.redis, key, { ...tenant.content, status: 'draft' });
  // The change message and the request use different connections: poll until the message has arrived.
  for (;;) {
    const { status, body } = await create();
    if (status === 200) continue;
    expect(body.code).toBe('content_not_published');
    break;
  }
  await playback.publish(tenant);
  const { body: list } = await playback.asClient(tenant, 'get', `/sessions?subject=${request.subject}`).expect(200);
  expect(list.items).toMatchObject([{ sessionId: session.sessionId, expiresAt: session.expiresAt }]);
});
