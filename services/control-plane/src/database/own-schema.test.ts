import { randomUUID } from 'node:crypto';
import { runOnDatabase } from '@multi-drm/test-kit';
import { EventOutbox } from '../events/event-outbox';
import { EventPartitions } from '../events/event-partitions';
import { createEventPool } from '../events/event-pool';
import { startControlPlane } from '../testing/control-plane';
import { recordingLogger } from '../testing/recording-logger';
import { bearer, createContent, createTenant } from '../testing/records';
import { migrate } from './migrate';
import type { ConnectionState } from './prepare-connection';
import { createPrismaClient } from './prisma-client';

const server = () => process.env.TEST_POSTGRES_URL ?? '';
const names: string[] = [];

afterAll(async () => {
  for (const name of names) {
    await runOnDatabase(server(), `DROP DATABASE "${name}" WITH (FORCE)`);
    await runOnDatabase(server(), `DROP ROLE "${name}"`);
  }
});

/** An empty database, and an ordinary role of the same name. Returns the role's URL of the database. */
async function createDatabase(parameters = ''): Promise<{ name: string; url: string; asSuperuser: string }> {
  const name = `own_${randomUUID()}`;
  await runOnDatabase(server(), `CREATE ROLE "${name}" LOGIN PASSWORD 'secret'`);
  await runOnDatabase(server(), `CREATE DATABASE "${name}"`);
  names.push(name);
  const url = new URL(server());
  url.pathname = `/${name}`;
  const asSuperuser = url.href;
  url.username = name;
  url.password = 'secret';
  return { name, url: `${url.href}${parameters}`, asSuperuser };
}

/** Each way to choose a schema: the parameters of the URL, the schema and how it is chosen. */
const ways: [string, string, (name: string) => string, (name: string, schema: string) => string[]][] = [
  ['of the name of the role', '', (name) => name, () => []],
  ["in the role's search_path", '', () => 'of role', (name, schema) => [setPath('ROLE', name, schema)]],
  ["in the database's search_path", '', () => 'of_database', (name, schema) => [setPath('DATABASE', name, schema)]],
  ['in the options of the URL', '?options=-c%20search_path%3Dof_options%2Cpublic', () => 'of_options', () => []],
  ['in the URL', '?schema=Of%20URL', () => 'Of URL', () => []],
];

const setPath = (kind: string, name: string, schema: string) =>
  `ALTER ${kind} "${name}" SET search_path = "none", "${schema}", public`;

test.each(ways)('a schema %s has all tables, and all queries use it', async (_way, parameters, schemaOf, settings) => {
  const { name, url, asSuperuser } = await createDatabase(parameters);
  const schema = schemaOf(name);
  await runOnDatabase(asSuperuser, `CREATE SCHEMA "${schema}" AUTHORIZATION "${name}"`);
  for (const setting of settings(name, schema)) await runOnDatabase(asSuperuser, setting);

  const said: string[] = [];
  await migrate(url, { onSchema: (migrated) => said.push(migrated) });
  const prisma = createPrismaClient(url, { onConnected: (state: ConnectionState) => said.push(state.schema) });
  await prisma.$connect();
  await prisma.$disconnect();
  expect(said).toEqual([schema, schema]);
  const tables = 'SELECT DISTINCT schemaname AS schema FROM pg_tables WHERE tableowner = $1';
  expect(await runOnDatabase(asSuperuser, tables, [name])).toEqual([{ schema }]);

  const controlPlane = await startControlPlane({ databaseUrl: url });
  await controlPlane.api.get('/api/v1/health/ready').expect(200);
  const tenant = await createTenant(controlPlane);
  await createContent(controlPlane, tenant, { title: 'Ключ' });
  const path = `/api/v1/management/environments/${tenant.development}/content`;
  const { body } = await controlPlane.api.get(path).query({ search: 'ключ' }).set(bearer(tenant.key)).expect(200);
  expect(body.total).toBe(1);
  await expectEvents(url, asSuperuser, schema);
});

/** Partitions are added and removed, and events of changes are stored. */
async function expectEvents(url: string, asSuperuser: string, schema: string): Promise<void> {
  const former = `"${schema}".event_20260101`;
  await runOnDatabase(
    asSuperuser,
    `CREATE TABLE ${former} PARTITION OF "${schema}".event FOR VALUES FROM ('2026-01-01T00:00:00Z') TO ('2026-01-02T00:00:00Z')`,
  );
  const [{ owner } = { owner: '' }] = await runOnDatabase<{ owner: string }>(
    asSuperuser,
    'SELECT tableowner AS owner FROM pg_tables WHERE schemaname = $1 LIMIT 1',
    [schema],
  );
  await runOnDatabase(asSuperuser, `ALTER TABLE ${former} OWNER TO "${owner}"`);
  const logger = recordingLogger([]);
  const pool = createEventPool(url, logger);
  const partitions = new EventPartitions({ pool, connectionString: url, eventDays: 30, logger });
  await partitions.add();
  expect(await partitions.daysLeft()).toBe(8);
  await partitions.removeOld();
  expect(await runOnDatabase(asSuperuser, 'SELECT to_regclass($1)::text AS former', [former])).toEqual([
    { former: null },
  ]);
  expect(await new EventOutbox(pool).move()).toBe(0);
  await pool.end();
}

test('the schema stays the same if an earlier one of the search_path is created later', async () => {
  const { name, url, asSuperuser } = await createDatabase();
  await runOnDatabase(asSuperuser, `GRANT CREATE ON SCHEMA public TO "${name}"`);
  await migrate(url);
  const prisma = createPrismaClient(url, { poolSize: 2 });
  expect(await prisma.outboxEntry.count()).toBe(0);
  await runOnDatabase(asSuperuser, `CREATE SCHEMA "${name}" AUTHORIZATION "${name}"`);
  // The second connection is opened now.
  const paths = await prisma.$transaction(async (transaction) => [
    await transaction.$queryRaw`SELECT current_schemas(false)::text AS path`,
    await prisma.$queryRaw`SELECT current_schemas(false)::text AS path`,
  ]);
  expect(paths).toEqual([[{ path: '{public}' }], [{ path: '{public}' }]]);
  await prisma.$disconnect();
});

test.each([
  ['?schema=none', 'the schema "none" does not exist: create it'],
  [
    '?options=-c%20search_path%3Dnone',
    'no schema of the search_path exists: create one, or name one in the URL (?schema=)',
  ],
])('a missing schema (%s) is refused', async (parameters, refusal) => {
  const { url } = await createDatabase(parameters);
  await expect(migrate(url)).rejects.toThrow(refusal);
});
