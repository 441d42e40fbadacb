import { cloneDatabase, type TestDatabase } from '@multi-drm/testing';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';

let controlPlane: TestControlPlane;
let database: TestDatabase;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  database = await cloneDatabase();
});
afterAll(() => database.drop());

test('liveness returns the name and version of the service', async () => {
  const { body } = await controlPlane.api.get('/api/v1/health/live').expect(200);
  expect(body).toEqual({
    status: 'live',
    service: 'control-plane',
    version: '1.2.3',
    uptimeSeconds: expect.any(Number),
  });
});

test('readiness depends only on PostgreSQL', async () => {
  const { body } = await controlPlane.api.get('/api/v1/health/ready').expect(200);
  expect(body).toEqual({
    status: 'ready',
    checks: { postgresql: { status: 'up', latencyMilliseconds: expect.any(Number) } },
  });
});

test('a database that accepts no writes makes the service not ready', async () => {
  // Set before the first connection: a pooler would hand out older connections.
  const name = new URL(database.url).pathname.slice(1);
  await controlPlane.prisma.$executeRawUnsafe(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
  const { api } = await startControlPlane({ databaseUrl: database.url });
  const { body } = await api.get('/api/v1/health/ready').expect(503);
  expect(body).toMatchObject({ status: 'not_ready', checks: { postgresql: { status: 'down' } } });
});
