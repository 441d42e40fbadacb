import { randomUUID } from 'node:crypto';
import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/test-kit';
import { Customer } from '@multi-drm/test-kit/services/customer';
import { operatorKey, ServiceProcess } from '@multi-drm/test-kit/services/service-process';

let database: TestDatabase;
let redis: TestRedis;
let controlPlane: ServiceProcess;
let playbacks: ServiceProcess[];
let customer: Customer;

beforeAll(async () => {
  [database, redis] = await Promise.all([cloneDatabase(), startRedis()]);
  controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
  playbacks = [await ServiceProcess.playback(redis.url), await ServiceProcess.playback(redis.url)];
  await Promise.all([controlPlane, ...playbacks].map((service) => service.start()));
});
afterAll(async () => {
  await Promise.all([controlPlane, ...playbacks].map((service) => service.stop()));
  await Promise.all([database.drop(), redis.stop()]);
});
beforeEach(async () => {
  customer = await Customer.register({ controlPlaneUrl: controlPlane.url, playbackUrl: playbacks[0]?.url ?? '' });
  await customer.publish('lesson');
  for (const { url } of playbacks) await customer.followed('lesson', url);
});

/** Plays at both processes until both refuse with the code; resolves to the milliseconds this took. */
async function refusedEverywhere(code: string, subject: () => string = randomUUID): Promise<number> {
  const since = performance.now();
  await Promise.all(
    playbacks.map(async ({ url }) => {
      for (;;) {
        const refusal = await customer.play('lesson', subject(), url).then(
          () => undefined,
          (error: Error) => error.message,
        );
        if (refusal === undefined) continue;
        if (refusal.includes('concurrent_stream_limit_reached')) continue; // the attempts themselves fill the slots
        expect(refusal).toContain(code);
        return;
      }
    }),
  );
  return performance.now() - since;
}

test('a revoked API client is refused at every playback process within a second', async () => {
  await customer.revokeApiClient();
  expect(await refusedEverywhere('client_authentication_failed')).toBeLessThan(1_000);
});

test('a suspended organization cannot start sessions at any playback process within a second', async () => {
  const operator = { Authorization: `Bearer ${operatorKey}`, 'If-Match': '*' };
  await customer.manage('PATCH', `/organizations/${customer.organizationId}`, { status: 'suspended' }, operator);
  expect(await refusedEverywhere('environment_suspended')).toBeLessThan(1_000);
});

test('a paused DRM system starts no sessions at any playback process within a second, and does again when it is resumed', async () => {
  const system = `/environments/${customer.siteId}/drm-systems/widevine`;
  await customer.manage('PATCH', system, { enabled: false }, { 'If-Match': '*' });
  expect(await refusedEverywhere('drm_system_not_supported')).toBeLessThan(1_000);
  await customer.manage('PATCH', system, { enabled: true }, { 'If-Match': '*' });
  for (const { url } of playbacks) expect(await customer.followed('lesson', url)).toBeLessThan(1_000);
});

test('a blocked viewer cannot start sessions at any playback process within a second', async () => {
  await customer.synchronize({ subject: 'student' });
  for (const { url } of playbacks) await customer.play('lesson', 'student', url);
  await customer.synchronize({ subject: 'student', status: 'blocked' });
  expect(await refusedEverywhere('subject_blocked', () => 'student')).toBeLessThan(1_000);
});

test("a viewer's own stream limit reaches every playback process within a second", async () => {
  await customer.synchronize({ subject: 'student', maximumConcurrentStreams: 1 });
  const since = performance.now();
  for (const { url } of playbacks) {
    // The first creates may be granted, and refused for a while by the policy's larger limit.
    let refusal = '';
    while (!refusal.includes('"limit":1') && performance.now() - since < 1_000) {
      refusal = await customer.play('lesson', 'student', url).then(() => '', String);
    }
  }
  expect(performance.now() - since).toBeLessThan(1_000);
});
