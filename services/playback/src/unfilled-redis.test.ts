import { publishedKeys } from '@multi-drm/contracts';
import { startRedis, type TestRedis } from '@multi-drm/local/testing';
import supertest from 'supertest';
import { connected, type Playback, sessionRequest, startPlayback } from './testing/playback';
import { generation, makeTenant, type PublishedTenant, publish, publishViewer } from './testing/published-tenant';

let server: TestRedis;
let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  server = await startRedis();
  playback = startPlayback({ redisUrl: server.url });
  await connected(playback);
});
beforeEach(async () => {
  tenant = makeTenant();
  await playback.publish(tenant);
  await publishViewer(playback.redis, tenant, { subject: 'blocked', status: 'blocked' });
  await playback.create(tenant, sessionRequest()).expect(200);
});
afterAll(async () => {
  playback.close();
  await server.stop();
});

const unavailable = { code: 'service_unavailable', retryable: true };

test('a blocked viewer takes no slot after Redis was emptied, even if everything else is cached', async () => {
  await playback.create(tenant, sessionRequest({ subject: 'blocked' })).expect(403);
  await playback.redis.flushall();
  const { body } = await playback.create(tenant, sessionRequest({ subject: 'blocked' })).expect(503);
  expect(body).toMatchObject(unavailable);
  await playback.publish(tenant);
  const { body: list } = await playback.asClient(tenant, 'get', '/sessions').expect(200);
  expect(list.items).toEqual([]);
});

test('the same holds while Redis is being refilled', async () => {
  await playback.redis.flushall();
  await publish(playback.redis, publishedKeys.deployment, { generation: 'another', published: 'some' });
  const { body } = await playback.create(tenant, sessionRequest({ subject: 'blocked' })).expect(503);
  expect(body).toMatchObject(unavailable);
});

test.each([
  [null, 503],
  ['nothing', 503],
  ['some', 200],
  ['all', 200],
])('while %s is published, readiness returns %i', async (published, status) => {
  await playback.redis.flushall();
  if (published !== null) await publish(playback.redis, publishedKeys.deployment, { generation, published });
  const { body } = await supertest(playback.app).get('/api/v1/health/ready').expect(status);
  expect(body.checks.published.status).toBe(status === 200 ? 'up' : 'down');
});
