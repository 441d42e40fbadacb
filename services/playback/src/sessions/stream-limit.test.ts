import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import supertest from 'supertest';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant } from '../testing/published-tenant';

type Session = PlaybackSchemas['PlaybackSessionResponse'];

let playback: Playback;

beforeAll(async () => {
  playback = await startPlayback();
});

async function tenantWith(settings: Parameters<typeof makeTenant>[0]) {
  const tenant = makeTenant(settings);
  await playback.publish(tenant);
  return tenant;
}

function release(session: Session) {
  return supertest(playback.app)
    .post(new URL(session.release.url).pathname)
    .set('Authorization', `Bearer ${session.drm.drmLicenseToken}`)
    .set('Content-Type', 'text/plain;charset=UTF-8')
    .send('');
}

test('at a limit of two, the third session is refused with the two active ones, until one is released', async () => {
  const tenant = await tenantWith({ maximumConcurrentStreams: 2 });
  const request = sessionRequest({ applicationId: 'lms', platformCapabilities: { clientPlatform: 'web' } });
  const { body: first } = await playback.create(tenant, request).expect(200);
  const { body: second } = await playback.create(tenant, request).expect(200);

  const { body: refusal, headers } = await playback.create(tenant, request).expect(429);
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(refusal).toMatchObject({ code: 'concurrent_stream_limit_reached', retryable: false, limit: 2 });
  expect(refusal.activeSessions).toEqual(
    [first, second].map(({ sessionId, expiresAt }) => ({
      sessionId,
      contentId: 'lesson-0042',
      applicationId: 'lms',
      clientPlatform: 'web',
      startedAt: expect.any(String),
      expiresAt,
    })),
  );

  await release(first).expect(204, '');
  await playback.create(tenant, request).expect(200);
});

test('of 200 simultaneous creates for one viewer, exactly as many as the limit succeed, four times in a row', async () => {
  const tenant = await tenantWith({ maximumConcurrentStreams: 2 });
  const server = createServer(playback.app).listen(0);
  try {
    for (let round = 0; round < 4; round += 1) {
      const request = sessionRequest();
      const answers = await Promise.all(Array.from({ length: 200 }, () => playback.create(tenant, request)));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, 200, ...Array.from({ length: 198 }, () => 429)]);
    }
  } finally {
    server.close();
  }
});

test('viewers and environments are counted separately', async () => {
  const tenant = await tenantWith({ maximumConcurrentStreams: 1 });
  const other = await tenantWith({ maximumConcurrentStreams: 1 });
  const request = sessionRequest();
  await playback.create(tenant, request).expect(200);
  await playback.create(tenant, { ...request, subject: 'somebody else' }).expect(200);
  await playback.create(other, request).expect(200);
  await playback.create(tenant, request).expect(429);
});

test('an environment without a limit refuses no viewer', async () => {
  const tenant = await tenantWith({ maximumConcurrentStreams: null });
  const request = sessionRequest();
  const answers = await Promise.all(Array.from({ length: 20 }, () => playback.create(tenant, request)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('an abandoned session frees its slot when it expires, and not a second earlier', async () => {
  const tenant = await tenantWith({ maximumConcurrentStreams: 1, sessionLifetimeSeconds: 1 });
  const request = sessionRequest();
  const { body: first } = await playback.create(tenant, request).expect(200);
  for (;;) {
    const { body, status } = await playback.create(tenant, request);
    if (status === 429) continue;
    const freedAt = Date.parse(body.serverTime) - Date.parse(first.expiresAt);
    expect(freedAt).toBeGreaterThanOrEqual(0);
    expect(freedAt).toBeLessThan(1000);
    break;
  }
});

test('a repeated release, or one after the end, has no effect', async () => {
  const tenant = await tenantWith({ maximumConcurrentStreams: 1 });
  const request = sessionRequest();
  const { body: first } = await playback.create(tenant, request).expect(200);
  await release(first).expect(204);
  const { body: second } = await playback.create(tenant, request).expect(200);
  await release(first).expect(204);
  await playback.create(tenant, request).expect(429);
  await release(second).expect(204);
});

test('a released id is never reserved again', async () => {
  const tenant = await tenantWith({});
  const request = sessionRequest({ sessionId: randomUUID() });
  const { body: session } = await playback.create(tenant, request).expect(200);
  await release(session).expect(204);
  const { body } = await playback.create(tenant, request).expect(409);
  expect(body.code).toBe('session_id_reused');
});

test.each(['application/json', 'application/octet-stream', 'text/plain'])(
  'a release with any body of type %s is accepted',
  async (type) => {
    const tenant = await tenantWith({});
    const { body: session } = await playback.create(tenant, sessionRequest()).expect(200);
    await release(session).set('Content-Type', type).send('{ not json').expect(204);
  },
);
