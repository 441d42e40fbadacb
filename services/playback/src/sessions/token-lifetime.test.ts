import { untilRedisTime } from '@multi-drm/slots/testing';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose';
import supertest from 'supertest';
import { type Playback, publicUrl, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback({ tokens: { backdateSeconds: 90 } });
});
beforeEach(() => use({}));

async function use(settings: Parameters<typeof makeTenant>[0]): Promise<void> {
  tenant = makeTenant(settings);
  await playback.publish(tenant);
}

const start = async (overrides: object = {}): Promise<Session> =>
  (await playback.create(tenant, sessionRequest(overrides)).expect(200)).body;
const claimsOf = ({ drm }: Session) => decodeJwt(drm.drmLicenseToken);
const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000);
/** From the response to the token's exp, in seconds. */
const lifetimeOf = (session: Session) => (claimsOf(session).exp ?? 0) - secondsOf(session.serverTime);

test('iat and nbf are backdated by the configured skew, for clients whose clocks run behind', async () => {
  const session = await start();
  const { iat, nbf } = claimsOf(session);
  expect([iat, nbf]).toEqual(Array(2).fill(secondsOf(session.serverTime) - 90));
});

test.each<[string, Parameters<typeof makeTenant>[0], number]>([
  ['sessionLifetimeSeconds', { sessionLifetimeSeconds: 3600 }, 3600],
  ['licenseTokenLifetimeSeconds if that is less', { licenseTokenLifetimeSeconds: 300 }, 300],
  ['sessionLifetimeSeconds if licenseTokenLifetimeSeconds is more', { licenseTokenLifetimeSeconds: 86_400 }, 14_400],
  ['maximumSessionSeconds if that is less', { maximumSessionSeconds: 600 }, 600],
  ['sessionLifetimeSeconds also with a heartbeat', { heartbeatSeconds: 20 }, 14_400],
])('exp is %s', async (_rule, settings, seconds) => {
  await use(settings);
  const session = await start();
  expect(lifetimeOf(session)).toBe(seconds);
  expect(session.drm.tokenExpiresAt).toBe(new Date((claimsOf(session).exp ?? 0) * 1000).toISOString());
});

test('exp of a renewed token is never after the maximum session either', async () => {
  await use({ sessionLifetimeSeconds: 3600, maximumSessionSeconds: 3601 });
  const session = await start();
  await untilRedisTime(playback.redis, new Date(Date.parse(session.serverTime) + 2001));
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  expect(claimsOf(renewed).exp).toBeGreaterThanOrEqual(claimsOf(session).exp ?? 0);
  expect(claimsOf(renewed).exp).toBeLessThanOrEqual((claimsOf(session).exp ?? 0) + 1);
});

test('typ is drm-license+jwt, alg ES256, and kid the RFC 7638 thumbprint of the published key', async () => {
  const { drm } = await start();
  const { body } = await supertest(playback.app).get('/.well-known/jwks.json').expect(200);
  const kid = await calculateJwkThumbprint(body.keys[0]);
  expect(decodeProtectedHeader(drm.drmLicenseToken)).toEqual({ alg: 'ES256', typ: 'drm-license+jwt', kid });
});

test('the claims are exactly those of the contract', async () => {
  const session = await start({ subject: 'lms:3f9c:17' });
  expect(claimsOf(session)).toEqual({
    iss: publicUrl,
    aud: `${publicUrl}/api/v1/playback`,
    sub: 'lms:3f9c:17',
    sid: session.sessionId,
    env: tenant.environment.environmentId,
    cid: 'lesson-0042',
    drm: 'widevine',
    pol: {
      template: 'single-software',
      maximumHeight: 1080,
      tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
      maximumConcurrentStreams: 3,
    },
    jti: expect.any(String),
    iat: expect.any(Number),
    nbf: expect.any(Number),
    exp: expect.any(Number),
    rid: expect.any(String),
    rec: expect.any(Array),
  });
});

describe('a token is accepted only for what it names, regardless of the path', () => {
  test.each(['release', 'renew'] as const)('not for another session on %s', async (route) => {
    const [one, other] = [await start(), await start()];
    await playback.asPlayer({ ...one, sessionId: other.sessionId, release: other.release }, route).expect(401);
    await playback.asPlayer(other, 'renew').expect(200);
  });

  test.each(['release', 'renew'] as const)('not in another environment on %s', async (route) => {
    const session = await start();
    const { environmentId } = tenant.environment;
    await use({});
    const path = `/api/v1/playback/environments/${tenant.environment.environmentId}/sessions/${session.sessionId}`;
    const { body } = await supertest(playback.app)
      .post(`${path}/${route}`)
      .set('Authorization', `Bearer ${session.drm.drmLicenseToken}`)
      .expect(401);
    expect(body).toMatchObject({ code: 'token_invalid', detail: 'The license token is for another environment.' });
    expect(JSON.stringify(body)).not.toContain(environmentId);
  });
});

test('checks run in order: signature, binding, state of the session, exp', async () => {
  await use({ licenseTokenLifetimeSeconds: 1 });
  const [session, other] = [await start(), await start()];
  // The service estimates the time of Redis, and may be some milliseconds behind.
  await untilRedisTime(playback.redis, new Date(Date.parse(session.drm.tokenExpiresAt) + 100));
  const renew = async (token: string, path: Session) => {
    const answer = await playback.asPlayer({ ...path, drm: { ...path.drm, drmLicenseToken: token } }, 'renew');
    return [answer.body.code, answer.body.detail];
  };
  const token = session.drm.drmLicenseToken;
  const forged = `${token.slice(0, -20)}${'A'.repeat(20)}`;
  expect(await renew(token, session)).toEqual(['token_expired', expect.any(String)]);
  await playback.asPlayer(session, 'release').expect(204);
  expect(await renew(token, session)).toEqual(['session_released', expect.any(String)]);
  expect(await renew(token, other)).toEqual(['token_invalid', 'The license token is for another session.']);
  expect(await renew(forged, other)).toEqual([
    'token_invalid',
    'The license token is not a valid token of this service.',
  ]);
});
