import { randomUUID } from 'node:crypto';
import { type Logger, Metrics } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import supertest from 'supertest';
import { addRedisGauges } from './catalog/redis-check';
import { type Playback, sessionRequest, startPlayback } from './testing/playback';
import { publishBackend, publishContentKeys } from './testing/published-backend';
import { makeTenant, publishTenant } from './testing/published-tenant';

let redis: TestRedis;
let playback: Playback;
const tenant = makeTenant({ maximumConcurrentStreams: 1 });
// With a limit, so that streams are counted.
tenant.organization.maximumConcurrentStreams = 1000;
tenant.client.permissions.push('sessions:evaluate');
const noLogger: Logger = { error() {}, warn() {}, info() {}, debug() {} };

beforeAll(async () => {
  redis = await startRedis({ appendOnly: true });
  // Not through the service's own client, which fails fast: the setup may wait for Redis.
  const patient = new Redis(redis.url);
  await publishTenant(patient, tenant);
  patient.disconnect();
  playback = await startPlayback({ redisUrl: redis.url, commandTimeout: 500 });
});
afterAll(() => redis.stop());

async function createsAgain(): Promise<void> {
  for (;;) {
    const { status } = await playback.create(tenant, sessionRequest());
    if (status === 200) return;
    expect(status).toBe(503);
  }
}

test('while Redis hangs, a create returns 503 with Retry-After instead of waiting', async () => {
  redis.process.kill('SIGSTOP');
  const { body, headers } = await playback.create(tenant, sessionRequest());
  redis.process.kill('SIGCONT');
  expect(body).toMatchObject({ code: 'service_unavailable', status: 503, retryable: true });
  expect(headers['retry-after']).toBe('1');
  await createsAgain();
});

test('while Redis is down, the process is live and refuses requests; when Redis is back, the service recovers', async () => {
  await redis.stop();
  await playback.create(tenant, sessionRequest()).expect(503);
  await supertest(playback.app).get('/api/v1/health/live').expect(200);
  await supertest(playback.app).get('/api/v1/health/ready').expect(503);
  await redis.start();
  await createsAgain();
  await supertest(playback.app).get('/api/v1/health/ready').expect(200);
});

const ready = () => supertest(playback.app).get('/api/v1/health/ready');

/** Runs with a Redis setting, then restores its default. */
async function withRedis(
  setting: string,
  value: string,
  usual: string,
  run: (admin: Redis) => Promise<unknown>,
): Promise<void> {
  const admin = new Redis(redis.url);
  await admin.config('SET', setting, value);
  try {
    await run(admin);
  } finally {
    await admin.config('SET', setting, usual);
    admin.disconnect();
  }
}

test('with a full Redis, no session starts, and active sessions continue', async () => {
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  const [keyId = ''] = (await publishContentKeys(playback.redis, tenant)).keys();
  const challenge = { kids: [Buffer.from(keyId.replaceAll('-', ''), 'hex').toString('base64url')], type: 'temporary' };
  const request = sessionRequest();
  const { body: session } = await playback.create(tenant, request).expect(200);
  const unknown = randomUUID();
  const release = (id: string) => playback.asClient(tenant, 'post', `/sessions/${id}/release`).send({ subject: 'v' });
  await withRedis('maxmemory', '1', '0', async (admin) => {
    await expect(admin.set('more', 'data')).rejects.toThrow(/^OOM /);
    expect(await admin.keys(`slots:*:${request.subject}`)).toHaveLength(1);
    const { body, headers } = await playback.create(tenant, sessionRequest()).expect(503);
    expect(body).toMatchObject({ code: 'service_unavailable', retryable: true, detail: expect.stringMatching(/full/) });
    expect(headers['retry-after']).toBe('1');
    await playback.asClient(tenant, 'post', '/sessions/evaluations').send(sessionRequest()).expect(200);
    await playback.asPlayer(session, 'renew').expect(200);
    await playback.license(session, Buffer.from(JSON.stringify(challenge))).expect(200);
    await release(unknown).expect(503);
    await playback.asPlayer(session, 'release').expect(204);
    expect((await playback.asPlayer(session, 'renew').expect(403)).body.code).toBe('session_released');
    expect(await admin.keys(`slots:*:${request.subject}`)).toEqual([]);
  });
  await playback.create(tenant, { ...request, subject: 'v', sessionId: unknown }).expect(200);
});

test('a full Redis leaves the service ready, and both readiness and a gauge report it', async () => {
  const metrics = new Metrics(noLogger);
  addRedisGauges(metrics, playback.redis);
  expect(await metrics.text()).toMatch(/^multi_drm_redis_full 0$/m);
  await withRedis('maxmemory', '1', '0', async () => {
    const { body } = await ready().expect(200);
    expect(body).toMatchObject({ status: 'ready', checks: { redis: { status: 'full' } } });
    expect(await metrics.text()).toMatch(/^multi_drm_redis_full 1$/m);
  });
  expect((await ready().expect(200)).body.checks.redis.status).toBe('up');
});

test('the service is not ready if Redis answers but accepts no writes', async () => {
  await withRedis('min-replicas-to-write', '1', '0', () => ready().expect(503));
  await ready().expect(200);
});

test('the service is not ready while its Redis is a replica', async () => {
  const admin = new Redis(redis.url);
  await admin.call('REPLICAOF', '127.0.0.1', '1');
  await ready().expect(503);
  await admin.call('REPLICAOF', 'NO', 'ONE');
  admin.disconnect();
  await createsAgain();
  await ready().expect(200);
});

test('reservations outlive a restart of Redis with its append-only file', async () => {
  await createsAgain();
  const request = sessionRequest({ sessionId: randomUUID() });
  const { body: session } = await playback.create(tenant, request).expect(200);
  await redis.stop();
  await redis.start();
  await createsAgain();
  const { body: refusal } = await playback.create(tenant, { ...request, sessionId: randomUUID() }).expect(429);
  expect(refusal.activeSessions).toMatchObject([{ sessionId: session.sessionId }]);
});

test('connections that break during creates leave no slot whose id no caller learned', async () => {
  const killer = new Redis(redis.url);
  const subjects: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const calls = Array.from({ length: 30 }, async () => {
      const request = sessionRequest();
      const { status } = await playback.create(tenant, request);
      expect([200, 503]).toContain(status);
      if (status === 503) subjects.push(String(request.subject));
    });
    await killer.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await Promise.all(calls);
    await createsAgain();
  }
  killer.disconnect();
  // Each viewer that got an error has a limit of one stream and can still play: at once, or after the undo.
  for (const subject of subjects) {
    for (;;) {
      const { status } = await playback.create(tenant, sessionRequest({ subject }));
      if (status === 200) break;
    }
  }
});

test('an outage does not alert anyone: nothing is logged as an error', () => {
  expect(playback.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
