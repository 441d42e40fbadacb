import { randomUUID } from 'node:crypto';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { type StartedServices, startServices } from './started-services';

let services: StartedServices;

jest.setTimeout(120_000);

beforeAll(async () => {
  services = await startServices();
});

test('the control plane shows when playback last accepted an API client and its key, even while Redis is down', async () => {
  const customer = await services.register();
  const clients = () =>
    customer.manage<ControlPlaneSchemas['ApiClientResponse'][]>('GET', `/projects/${customer.projectId}/api-clients`);
  expect(await clients()).toMatchObject([{ lastUsedAt: null }]);
  const contentId = randomUUID();
  await customer.publish(contentId);
  const before = Date.now();
  await customer.followed(contentId);
  const after = Date.now();
  // It also collects uses when it stops.
  await services.controlPlane.stop();
  await services.redis.stop();
  await services.controlPlane.start();
  const [client] = await clients();
  const lastUsedAt = Date.parse(client?.lastUsedAt ?? '');
  expect(lastUsedAt).toBeGreaterThanOrEqual(before);
  expect(lastUsedAt).toBeLessThanOrEqual(after);
  expect(client?.accessKeys).toMatchObject([{ lastUsedAt: client?.lastUsedAt }]);
});
