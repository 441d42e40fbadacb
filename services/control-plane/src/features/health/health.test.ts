import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';

let controlPlane: TestControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});

test('liveness names the service and its version', async () => {
  const { body } = await controlPlane.api.get('/api/v1/health/live').expect(200);
  expect(body).toEqual({
    status: 'live',
    service: 'control-plane',
    version: '1.2.3',
    uptimeSeconds: expect.any(Number),
  });
});

test('readiness depends on PostgreSQL alone', async () => {
  const { body } = await controlPlane.api.get('/api/v1/health/ready').expect(200);
  expect(body).toEqual({
    status: 'ready',
    checks: { postgresql: { status: 'up', latencyMilliseconds: expect.any(Number) } },
  });
});
