import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { primariesOf } from '@multi-drm/service-kit';
import { readRecord } from '@multi-drm/slots';
import { keysOf, rememberedUntil } from '@multi-drm/slots/testing';
import { keysLike } from '@multi-drm/test-kit';
import supertest from 'supertest';
import { type Playback, publicUrl, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';
import { KnownTokens } from '../tokens/known-tokens';
import { signLicenseToken } from '../tokens/license-token';
import { parseSigningKeys } from '../tokens/signing-keys';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant();
  await playback.publish(tenant);
});

const subject = 'lms:3f9c:17';

async function start(): Promise<Session> {
  return (await playback.create(tenant, sessionRequest({ subject })).expect(200)).body;
}

async function activeSessionIds(): Promise<string[]> {
  const { body } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
  return body.items.map(({ sessionId }: { sessionId: string }) => sessionId);
}

/** Other suites write to the same Redis at the same time. */
const keysOfTenant = () => keysLike(primariesOf(playback.redis), `*${tenant.environment.environmentId}*`);

const withoutCredential = ({ release }: Session) => supertest(playback.app).post(new URL(release.url).pathname);
const byClient = (sessionId: string) => playback.asClient(tenant, 'post', `/sessions/${sessionId}/release`);

describe('a player that sends a beacon when its tab closes', () => {
  test.each(['text/plain', 'text/plain;charset=UTF-8'])(
    'releases with the token in a body of type %s',
    async (type) => {
      const session = await start();
      await withoutCredential(session).set('Content-Type', type).send(session.drm.drmLicenseToken).expect(204);
      expect(await activeSessionIds()).toEqual([]);
    },
  );

  test.each([
    ['no body', ''],
    ['a body that is not a token', 'not a token'],
    ['a body that looks like two tokens', 'a b'],
  ])('is refused with %s', async (_case, text) => {
    const session = await start();
    const { body } = await withoutCredential(session).set('Content-Type', 'text/plain').send(text).expect(401);
    expect(body.code).toBe('token_invalid');
    expect(await activeSessionIds()).toEqual([session.sessionId]);
  });

  test('sends at most 8 KiB', async () => {
    const session = await start();
    const release = (bytes: number) =>
      withoutCredential(session).set('Content-Type', 'text/plain').send('x'.repeat(bytes));
    expect((await release(8192).expect(401)).body.code).toBe('token_invalid');
    expect((await release(8193).expect(413)).body.code).toBe('request_too_large');
  });

  test('cannot send the token as JSON', async () => {
    const session = await start();
    await withoutCredential(session).send({ token: session.drm.drmLicenseToken }).expect(401);
  });
});

test('the Authorization header takes precedence over the body', async () => {
  const [session, other] = [await start(), await start()];
  await playback
    .asPlayer(session, 'release')
    .set('Content-Type', 'text/plain;charset=UTF-8')
    .send(other.drm.drmLicenseToken)
    .expect(204);
  expect(await activeSessionIds()).toEqual([other.sessionId]);
});

test('a token for a session id of any length releases it, and a token of another session does not', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokens = {
    keys: parseSigningKeys(JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] })),
    issuer: publicUrl,
    audience: `${publicUrl}/api/v1/playback`,
    backdateSeconds: 60,
    newTokenId: randomUUID,
    known: new KnownTokens(),
  };
  const signing = await startPlayback({ tokens });
  const { environmentId } = tenant.environment;
  const tracks = [{ trackTypes: ['SD' as const], widevine: { securityLevel: 1, hdcp: 'none' as const } }];
  const fields = {
    subject,
    environmentId,
    contentId: 'lesson-0042',
    drmSystem: 'widevine' as const,
    policy: { template: null, maximumHeight: 576, tracks, maximumConcurrentStreams: null },
    reservationId: randomUUID(),
    expiresAt: new Date(Date.now() + 60_000),
    record: null,
  };
  for (const sessionId of ['1', 'x'.repeat(300)]) {
    const { token } = signLicenseToken(tokens, { ...fields, sessionId }, new Date());
    const release = (id: string) =>
      supertest(signing.app)
        .post(`/api/v1/playback/environments/${environmentId}/sessions/${id}/release`)
        .set('Authorization', `Bearer ${token}`);
    await release(sessionId).expect(204);
    expect((await release('2').expect(401)).body.code).toBe('token_invalid');
  }
});

test('an expired token still releases', async () => {
  tenant = makeTenant({ licenseTokenLifetimeSeconds: 1 });
  await playback.publish(tenant);
  const session = await start();
  for (;;) {
    const { body } = await playback.asPlayer(session, 'renew');
    if (body.code === 'token_expired') break;
  }
  await playback.asPlayer(session, 'release').expect(204);
  expect(await activeSessionIds()).toEqual([]);
});

test('a token of a forgotten session makes its id unusable until the latest time the session could have ended', async () => {
  const session = await start();
  const reference = { environmentId: tenant.environment.environmentId, subject, sessionId: session.sessionId };
  const { slots } = keysOf(reference);
  const packed = await playback.redis.hgetBuffer(slots, session.sessionId);
  const startedAt = readRecord(packed ?? Buffer.alloc(0)).startedAt / 1000;
  await playback.redis.del(slots);
  for (let call = 0; call < 2; call += 1) await playback.asPlayer(session, 'release').expect(204);
  const forgottenAt = await rememberedUntil(playback.redis, reference);
  expect(forgottenAt).toBeGreaterThan(startedAt + 86_400_000 - 1000);
  expect(forgottenAt).toBeLessThan(startedAt + 86_400_000 + 1000);
  const again = sessionRequest({ subject, sessionId: session.sessionId });
  expect((await playback.create(tenant, again).expect(409)).body.code).toBe('session_id_reused');
});

describe('a backend', () => {
  test('releases a session of the named subject', async () => {
    const session = await start();
    await byClient(session.sessionId).send({ subject }).expect(204);
    expect(await activeSessionIds()).toEqual([]);
    expect((await playback.asPlayer(session, 'renew')).body.code).toBe('session_released');
  });

  test('terminates a session with reason terminated', async () => {
    const session = await start();
    await byClient(session.sessionId).send({ subject, reason: 'terminated' }).expect(204);
    expect(await activeSessionIds()).toEqual([]);
    expect((await playback.asPlayer(session, 'renew')).body.code).toBe('session_terminated');
  });

  test('gets 204 for a repeat, an unknown id and an id of another subject, and nothing changes', async () => {
    const session = await start();
    await byClient(session.sessionId).send({ subject: 'somebody else' }).expect(204);
    await byClient(randomUUID()).send({ subject }).expect(204);
    expect(await activeSessionIds()).toEqual([session.sessionId]);
    await byClient(session.sessionId).send({ subject }).expect(204);
    await byClient(session.sessionId).send({ subject, reason: 'terminated' }).expect(204);
    expect((await playback.asPlayer(session, 'renew')).body.code).toBe('session_released');
  });

  test('that releases an id before its create prevents the create', async () => {
    const sessionId = randomUUID();
    await byClient(sessionId).send({ subject }).expect(204);
    const { body } = await playback.create(tenant, sessionRequest({ subject, sessionId })).expect(409);
    expect(body.code).toBe('session_id_reused');
  });

  test.each([
    ['1', 'short'],
    ['x'.repeat(129), 'long'],
    ['x'.repeat(4_000), 'very long'],
    ['a%2Fb%00%20c', 'made of other characters'],
  ])('gets 204 for an id that no session can have: %s (%s)', async (sessionId) => {
    const keys = await keysOfTenant();
    await byClient(sessionId).send({ subject }).expect(204);
    expect(await keysOfTenant()).toEqual(keys);
    await byClient(sessionId).send({}).expect(400);
  });

  test.each([
    ['no body', undefined, { subject: ['is required'] }],
    ['no subject', {}, { subject: ['is required'] }],
    ['an unknown reason', { subject, reason: 'bored' }, { reason: [expect.stringContaining('ended, terminated')] }],
    ['an unknown field', { subject, force: true }, { force: ['is not a known field'] }],
  ])('gets validation errors for %s', async (_case, request, errors) => {
    const { body } = await byClient(randomUUID()).send(request).expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors });
  });

  test('requires the permission sessions:release', async () => {
    tenant.client.permissions = ['license-tokens:create'];
    await playback.publish(tenant);
    const { body } = await byClient(randomUUID()).send({ subject }).expect(403);
    expect(body.code).toBe('permission_denied');
  });
});
