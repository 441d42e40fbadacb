import supertest from 'supertest';
import { connected, sessionRequest, startPlayback } from '../../testing/playback';
import { makeTenant } from '../../testing/published-tenant';

test.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])('a process whose clock is an hour %s starts and releases sessions by the time of Redis', async (_case, error) => {
  const playback = startPlayback({ now: () => new Date(Date.now() + error) });
  await connected(playback);
  const tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
  const request = sessionRequest();

  const { body: session } = await playback.create(tenant, request).expect(200);
  expect(Math.abs(Date.parse(session.serverTime) - Date.now())).toBeLessThan(60_000);
  await supertest(playback.app)
    .post(new URL(session.release.url).pathname)
    .set('Authorization', `Bearer ${session.drm.drmLicenseToken}`)
    .expect(204);
  await playback.create(tenant, request).expect(200);
  playback.close();
});
