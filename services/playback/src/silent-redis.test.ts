import { publishedKeys } from '@multi-drm/contracts';
import { type NetworkLink, startNetworkLink } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import supertest from 'supertest';
import { createPlayback, type Playback, sessionRequest, testRedisUrl } from './testing/playback';
import { makeTenant, type PublishedTenant, publish, publishTenant } from './testing/published-tenant';

let link: NetworkLink;
let playback: Playback;
let tenant: PublishedTenant;
/** Connects directly, not through the link. */
const writer = new Redis(testRedisUrl());

beforeAll(async () => {
  link = await startNetworkLink(testRedisUrl());
  playback = createPlayback({ redisUrl: link.url, commandTimeout: 500 });
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await publishTenant(writer, tenant);
  await createUntilItSucceeds();
});
afterAll(async () => {
  writer.disconnect();
  await link.close();
});

/** Creates sessions for one viewer after another until one succeeds; resolves to the viewers that got 503. */
async function createUntilItSucceeds(): Promise<unknown[]> {
  const refused: unknown[] = [];
  for (;;) {
    const request = sessionRequest();
    const { status } = await playback.create(tenant, request);
    if (status === 200) return refused;
    expect(status).toBe(503);
    refused.push(request.subject);
  }
}

test('if connections go silent but new ones work, the service recovers on new ones and loses no slot', async () => {
  link.abandon();
  const refused = await createUntilItSucceeds();
  expect(refused.length).toBeGreaterThan(0);
  for (const subject of refused) await playback.create(tenant, sessionRequest({ subject })).expect(200);
});

test('while new connections are silent too, each create returns 503; afterwards the service recovers', async () => {
  link.silence();
  for (let call = 0; call < 3; call += 1) await playback.create(tenant, sessionRequest()).expect(503);
  await supertest(playback.app).get('/api/v1/health/live').expect(200);
  await supertest(playback.app).get('/api/v1/health/ready').expect(503);
  await link.restore();
  await createUntilItSucceeds();
});

const revoke = () => publish(writer, publishedKeys.apiClient(tenant.client.clientId), null);

/** Measures milliseconds until the API client is refused; each create before that uses another viewer. */
async function untilRefused(): Promise<number> {
  const since = performance.now();
  for (;;) {
    const { status } = await playback.create(tenant, sessionRequest());
    if (status === 401) return performance.now() - since;
    expect([200, 503]).toContain(status);
  }
}

test('a client revoked while the subscriber connection is silent is refused after two pings', async () => {
  link.abandon('playback-subscriber');
  await revoke();
  // Without pings, it would take the ten seconds that a document is cached.
  expect(await untilRefused()).toBeLessThan(8_000);
});

test('the same holds if the subscriber cannot reconnect', async () => {
  link.silence('playback-subscriber');
  await revoke();
  expect(await untilRefused()).toBeLessThan(8_000);
  await link.restore();
});

test('an outage does not alert anyone: nothing is logged as an error', () => {
  expect(playback.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
