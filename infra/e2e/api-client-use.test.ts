import { randomUUID } from 'node:crypto';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/testing';
import { Customer } from './customer';
import { ServiceProcess } from './service-process';

let database: TestDatabase;
let redis: TestRedis;
let controlPlane: ServiceProcess;
let playback: ServiceProcess;

jest.setTimeout(120_000);

beforeAll(async () => {
  [database, redis] = await Promise.all([cloneDatabase(), startRedis()]);
  controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
  playback = await ServiceProcess.playback(redis.url);
  await Promise.all([controlPlane.start(), playback.start()]);
});
afterAll(async () => {
  await Promise.all([controlPlane.stop(), playback.stop()]);
  await Promise.all([database.drop(), redis.stop()]);
});

test('the control plane shows when playback last accepted an API client, even while Redis is down', async () => {
  const customer = await Customer.register({ controlPlaneUrl: controlPlane.url, playbackUrl: playback.url });
  const clients = () =>
    customer.manage<ControlPlaneSchemas['ApiClientResponse'][]>('GET', `/projects/${customer.projectId}/api-clients`);
  expect(await clients()).toMatchObject([{ lastUsedAt: null }]);
  const contentId = randomUUID();
  await customer.publish(contentId);
  const before = Date.now();
  await customer.followed(contentId);
  const after = Date.now();
  // It also collects uses when it stops.
  await controlPlane.stop();
  await redis.stop();
  await controlPlane.start();
  const [client] = await clients();
  const lastUsedAt = Date.parse(client?.lastUsedAt ?? '');
  expect(lastUsedAt).toBeGreaterThanOrEqual(before);
  expect(lastUsedAt).toBeLessThanOrEqual(after);
});
