import { publishedKeys } from '@multi-drm/contracts';
import { type NetworkLink, startNetworkLink } from '@multi-drm/local/testing';
import { Redis } from 'ioredis';
import supertest from 'supertest';
import { type Playback, sessionRequest, startPlayback, testRedisUrl } from './testing/playback';
import { makeTenant, type PublishedTenant, publish, publishTenant } from './testing/published-tenant';

let link: NetworkLink;
let playback: Playback;
let tenant: PublishedTenant;
/** Past the link. */
const writer = new Redis(testRedisUrl());

beforeAll(async () => {
  link = await startNetworkLink(testRedisUrl());
  playback = startPlayback({ redisUrl: link.url, commandTimeout: 500 });
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await publishTenant(writer, tenant);
  await createUntilItSucceeds();
});
afterAll(async () => {
  playback.close();
  writer.disconnect();
  await link.close();
});

/** Creates sessions of as many viewers, one after the other, as it takes to succeed; resolves to those refused for now. */
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

test('where connections fall silent and new ones pass, the service is back on new ones, and no slot is lost', async () => {
  link.abandon();
  const refused = await createUntilItSucceeds();
  expect(refused.length).toBeGreaterThan(0);
  for (const subject of refused) await playback.create(tenant, sessionRequest({ subject })).expect(200);
});

test('while new connections are silent too, each create is answered 503; after that the service is back', async () => {
  link.silence();
  for (let call = 0; call < 3; call += 1) await playback.create(tenant, sessionRequest()).expect(503);
  await supertest(playback.app).get('/api/v1/health/live').expect(200);
  await supertest(playback.app).get('/api/v1/health/ready').expect(503);
  await link.restore();
  await createUntilItSucceeds();
});

const revoke = () => publish(writer, publishedKeys.apiClient(tenant.client.clientId), null);

/** Milliseconds until the API client is refused; every session before that is another viewer's. */
async function untilRefused(): Promise<number> {
  const since = performance.now();
  for (;;) {
    const { status } = await playback.create(tenant, sessionRequest());
    if (status === 401) return performance.now() - since;
    expect([200, 503]).toContain(status);
  }
}

test('a client that is revoked while the connection that hears of it is silent is refused after two pings', async () => {
  link.abandon('playback-subscriber');
  await revoke();
  // Without pings: after the ten seconds that a document is kept in memory.
  expect(await untilRefused()).toBeLessThan(8_000);
});

test('and so it is where no other connection to hear of changes can be made', async () => {
  link.silence('playback-subscriber');
  await revoke();
  expect(await untilRefused()).toBeLessThan(8_000);
  await link.restore();
});

test('an outage is no reason to wake somebody: nothing was logged as an error', () => {
  expect(playback.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
