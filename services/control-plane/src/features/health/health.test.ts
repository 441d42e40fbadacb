import { randomUUID } from 'node:crypto';
import { cloneDatabase, runOnDatabase, type TestDatabase } from '@multi-drm/test-kit';
import { shippedMigrations } from '../../database/migrate';
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

test('probes are logged at the level debug', async () => {
  controlPlane.log.length = 0;
  await controlPlane.api.get('/api/v1/health/live').expect(200);
  await controlPlane.api.get('/api/v1/health/ready').expect(200);
  const requests = controlPlane.log.filter(({ message }) => message === 'request');
  expect(requests.map(({ level }) => level)).toEqual(['debug', 'debug']);
});

test('a process that answers no calls answers for its health only', async () => {
  const { api } = await startControlPlane({
    databaseUrl: database.url,
    environment: { CONTROL_PLANE_TASKS: 'events' },
  });
  await api.get('/api/v1/health/live').expect(200);
  expect((await api.get('/api/v1/plans').expect(404)).body.code).toBe('route_not_found');
});

test('readiness depends only on PostgreSQL', async () => {
  const { body } = await controlPlane.api.get('/api/v1/health/ready').expect(200);
  expect(body).toEqual({
    status: 'ready',
    checks: {
      postgresql: { status: 'up', latencyMilliseconds: expect.any(Number) },
      schema: { status: 'up', latencyMilliseconds: expect.any(Number) },
    },
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

describe('a database', () => {
  const history = '_prisma_migrations';
  const remember = `CREATE TABLE remembered AS SELECT * FROM ${history}`;
  const restore = `TRUNCATE ${history}; INSERT INTO ${history} SELECT * FROM remembered; DROP TABLE remembered`;

  beforeEach(() => runOnDatabase(controlPlane.databaseUrl, remember));
  afterEach(() => runOnDatabase(controlPlane.databaseUrl, restore));

  test.each<[string, string, string]>([
    ['without the last migration', `DELETE FROM ${history} WHERE migration_name = $1`, 'down'],
    [
      'whose last migration is unfinished',
      `UPDATE ${history} SET finished_at = NULL WHERE migration_name = $1`,
      'down',
    ],
    [
      'whose last migration was undone',
      `UPDATE ${history} SET rolled_back_at = now() WHERE migration_name = $1`,
      'down',
    ],
    [
      'of a newer release',
      `INSERT INTO ${history} (id, checksum, migration_name, finished_at)
       SELECT 'newer', checksum, '99990101000000_newer', now() FROM ${history} WHERE migration_name = $1`,
      'up',
    ],
  ])('%s: the check of its schema', async (_kind, statement, status) => {
    await runOnDatabase(controlPlane.databaseUrl, statement, [shippedMigrations().at(-1) ?? '']);
    const { body } = await controlPlane.api.get('/api/v1/health/ready').expect(status === 'up' ? 200 : 503);
    expect(body.checks).toMatchObject({ postgresql: { status: 'up' }, schema: { status } });
  });
});

test('a database without tables makes the service not ready, and the reason is logged once', async () => {
  const name = `empty_${randomUUID()}`;
  const server = process.env.TEST_POSTGRES_URL ?? '';
  await runOnDatabase(server, `CREATE DATABASE "${name}"`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const { api, log, prisma } = await startControlPlane({ databaseUrl: url.href });
  for (let call = 0; call < 2; call += 1) {
    const { body } = await api.get('/api/v1/health/ready').expect(503);
    expect(body).toMatchObject({
      status: 'not_ready',
      checks: { postgresql: { status: 'up' }, schema: { status: 'down' } },
    });
  }
  const warnings = log.filter(({ level }) => level === 'warn');
  expect(warnings.map(({ message, fields }) => [message, fields?.check, String(fields?.error)])).toEqual([
    ['a readiness check fails', 'schema', expect.stringContaining('run node dist/migrate.js')],
  ]);
  await prisma.$disconnect();
  await runOnDatabase(server, `DROP DATABASE "${name}" WITH (FORCE)`);
});
