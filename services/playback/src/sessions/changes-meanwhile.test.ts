import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { findBuiltInTemplate } from '@multi-drm/policy';
import { decodeJwt } from 'jose';
import { type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish } from '../testing/published-tenant';

// Which changes apply to active sessions; renew-session.test.ts covers the changes that end renewals.

let playback: Playback;
let tenant: PublishedTenant;
/** The time used for decisions, except those of the slots. */
let time = new Date();

beforeAll(async () => {
  playback = await startPlayback({ now: () => time });
});
beforeEach(() => {
  time = new Date();
  tenant = makeTenant({ sessionLifetimeSeconds: 3600 });
  return playback.publish(tenant);
});

const start = async (overrides: object = {}): Promise<Session> =>
  (await playback.create(tenant, sessionRequest(overrides)).expect(200)).body;
const lifetimes = ({ expiresAt, serverTime, drm, renewal }: Session) => ({
  session: Date.parse(expiresAt) - Date.parse(serverTime),
  token: (decodeJwt(drm.drmLicenseToken).exp ?? 0) - Math.floor(Date.parse(serverTime) / 1000),
  interval: renewal?.intervalSeconds,
});

/** Changes the environment and waits until the service has received the change. */
async function change(settings: Partial<PublishedTenant['environment']['settings']>): Promise<void> {
  Object.assign(tenant.environment.settings, settings);
  await playback.publish(tenant);
  // The change message and the request use different connections: poll until the message has arrived.
  while (lifetimes(await start()).session === 3_600_000);
}

test.each<[string, Parameters<typeof change>[0], object]>([
  ['sessionLifetimeSeconds', { sessionLifetimeSeconds: 600 }, { session: 600_000, token: 600, interval: 300 }],
  ['heartbeatSeconds', { heartbeatSeconds: 20 }, { session: 50_000, token: 3600, interval: 20 }],
  ['maximumSessionSeconds', { maximumSessionSeconds: 60 }, { session: 60_000, token: 60, interval: undefined }],
])('changed %s apply to new sessions only', async (_setting, settings, expected) => {
  const session = await start();
  await change(settings);
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  expect(lifetimes(renewed)).toEqual({ session: 3_600_000, token: 3600, interval: 1800 });
  expect(lifetimes(await start())).toEqual(expected);
});

test('a changed stream limit applies to new sessions only', async () => {
  const session = await start({ subject: 'viewer' });
  await change({ maximumConcurrentStreams: 1, sessionLifetimeSeconds: 600 });
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  expect(renewed.policy.maximumConcurrentStreams).toBe(3);
  await playback.create(tenant, sessionRequest({ subject: 'viewer' })).expect(429);
});

test('a changed license backend applies at once', async () => {
  const session = await start();
  for (const system of tenant.environment.drmSystems) system.backend = 'some-vendor';
  await change({ sessionLifetimeSeconds: 600 });
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  expect(renewed.drm.keySystems).toEqual(['com.widevine.alpha']);
});

test('after the end of the availability window, a renewal returns 403 content_not_available, and the slot stays', async () => {
  const { projectId } = tenant.environment;
  const { tracks, maximumHeight } = findBuiltInTemplate('single-software') ?? {};
  const rights = {
    maximumConcurrentStreams: null,
    atStreamLimit: 'reject',
    licenseDurationSeconds: null,
    playbackDurationSeconds: null,
    availableFrom: null,
    availableUntil: '2026-01-01T00:00:00.000Z',
    allowedClientPlatforms: null,
  };
  const profile = { licenseProfileId: randomUUID(), projectId, name: 'until', maximumHeight, tracks, rights };
  await publish(playback.redis, publishedKeys.licenseProfile(projectId, 'until'), profile);
  // By the process's time the window is open at the create; by the time of Redis it has closed at the renewal.
  time = new Date('2025-12-31T23:59:59.999Z');
  const session = await start({ subject: 'viewer', licensePolicyTemplate: 'until' });
  const { body } = await playback.asPlayer(session, 'renew').expect(403);
  expect(body.code).toBe('content_not_available');
  const { body: list } = await playback.asClient(tenant, 'get', '/sessions?subject=viewer').expect(200);
  expect(list.items).toMatchObject([{ sessionId: session.sessionId, expiresAt: session.expiresAt }]);
});
