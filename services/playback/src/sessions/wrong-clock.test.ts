import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { findBuiltInTemplate } from '@multi-drm/policy';
import supertest from 'supertest';
import { type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish } from '../testing/published-tenant';

const hour = 3_600_000;
/** Half an hour before or after now: between the true time and that of a process whose clock is an hour off. */
const past = () => new Date(Date.now() - hour / 2).toISOString();
const future = () => new Date(Date.now() + hour / 2).toISOString();

describe.each([
  ['ahead', hour],
  ['behind', -hour],
])('a process whose clock is an hour %s uses the time of Redis', (_case, error) => {
  let playback: Playback;
  let tenant: PublishedTenant;
  beforeAll(async () => {
    playback = await startPlayback({
      processNow: () => Date.now() + error,
      environment: { API_CLIENT_REQUESTS_PER_MINUTE: '1' },
    });
  });
  beforeEach(() => {
    tenant = makeTenant({ maximumConcurrentStreams: 1 });
  });

  /** Publishes the tenant and creates one session; returns the status and the session. */
  async function create(request = sessionRequest()): Promise<{ status: number; body: Session }> {
    // A new client for each call, because the call limit is tested separately.
    tenant.client = { ...makeTenant().client, ...tenant.client, clientId: makeTenant().client.clientId };
    await playback.publish(tenant);
    const { status, body } = await playback.create(tenant, request);
    return { status, body };
  }

  test('when it starts and releases sessions', async () => {
    const request = sessionRequest();
    const { body: session } = await create(request);
    expect(Math.abs(Date.parse(session.serverTime) - Date.now())).toBeLessThan(60_000);
    await supertest(playback.app)
      .post(new URL(session.release.url).pathname)
      .set('Authorization', `Bearer ${session.drm.drmLicenseToken}`)
      .expect(204);
    expect((await create(request)).status).toBe(200);
  });

  test('when an API client expires', async () => {
    tenant.client.expiresAt = future();
    expect((await create()).status).toBe(200);
    tenant.client.expiresAt = past();
    expect((await create()).status).toBe(401);
  });

  test('when the overlap of a rotated access key ends', async () => {
    const [hash = ''] = tenant.client.accessKeyHashes;
    const { accessKeyHashes } = makeTenant().client;
    Object.assign(tenant.client, { accessKeyHashes, previousAccessKey: { hash, validUntil: future() } });
    expect((await create()).status).toBe(200);
    Object.assign(tenant.client, { previousAccessKey: { hash, validUntil: past() } });
    expect((await create()).status).toBe(401);
  });

  test('when the availability window opens and closes', async () => {
    const window = async (availableFrom: string | null, availableUntil: string | null) => {
      const { projectId } = tenant.environment;
      const { tracks, maximumHeight } = findBuiltInTemplate('single-software') ?? {};
      const rights = {
        maximumConcurrentStreams: null,
        atStreamLimit: 'reject',
        licenseDurationSeconds: null,
        playbackDurationSeconds: null,
        availableFrom,
        availableUntil,
        allowedClientPlatforms: null,
      };
      const profile = { licenseProfileId: randomUUID(), projectId, name: 'window', maximumHeight, tracks, rights };
      await publish(playback.redis, publishedKeys.licenseProfile(projectId, 'window'), profile);
      return create(sessionRequest({ licensePolicyTemplate: 'window' }));
    };
    expect((await window(past(), future())).status).toBe(200);
    expect((await window(null, past())).status).toBe(403);
    expect((await window(future(), null)).status).toBe(403);
  });

  test('when a license token is signed and verified', async () => {
    const { body: session } = await create();
    await playback.asPlayer(session, 'renew').expect(200);
  });

  test('when it counts calls per minute, which all processes share', async () => {
    const counted = jest.spyOn(playback.redis, 'incrby');
    await create();
    const minutes = counted.mock.calls.map(([key]) => Number(/\d+$/.exec(String(key))?.[0]));
    counted.mockRestore();
    const minute = Math.floor(Date.now() / 60_000);
    expect([minute - 1, minute, minute + 1]).toEqual(expect.arrayContaining(minutes));
    expect(minutes).toHaveLength(1);
  });
});

test('a process whose clock was set wrong uses the time of Redis from the first request of its next connection', async () => {
  let error = 0;
  const playback = await startPlayback({ processNow: () => Date.now() + error });
  const tenant = makeTenant();
  tenant.client.expiresAt = future();
  await playback.publish(tenant);
  error = hour;
  const again = new Promise((resolve) => playback.redis.once('ready', resolve));
  playback.redis.disconnect(true);
  await again;
  await playback.create(tenant, sessionRequest()).expect(200);
});
