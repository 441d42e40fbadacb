import { randomUUID } from 'node:crypto';
import { runOnDatabase } from '@multi-drm/test-kit';
import { Client } from 'pg';
import { startControlPlane } from '../testing/control-plane';
import { createTenant, newRegistration } from '../testing/records';
import { migrate } from './migrate';
import { prepareConnection } from './prepare-connection';
import { createPrismaClient } from './prisma-client';
import { requireUsableDatabase } from './require-usable-database';

const server = () => process.env.TEST_POSTGRES_URL ?? '';
const databases: string[] = [];

/** Creates a database with these options of CREATE DATABASE and returns its URL. */
async function createDatabase(options: string): Promise<string> {
  const name = `foreign_${randomUUID()}`;
  await runOnDatabase(server(), `CREATE DATABASE "${name}" ${options}`);
  databases.push(name);
  const url = new URL(server());
  url.pathname = `/${name}`;
  return url.href;
}

afterAll(async () => {
  for (const name of databases) await runOnDatabase(server(), `DROP DATABASE "${name}" WITH (FORCE)`);
});

describe.each(['SQL_ASCII', 'LATIN1'])('a database of the encoding %s', (encoding) => {
  let url: string;
  const refusal = `the encoding of the database is ${encoding} and must be UTF8: create it with ENCODING 'UTF8' TEMPLATE template0`;

  beforeAll(async () => {
    url = await createDatabase(`ENCODING '${encoding}' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
  });

  test('is not migrated, and has no tables afterwards', async () => {
    await expect(migrate(url)).rejects.toThrow(refusal);
    expect(await runOnDatabase(url, "SELECT FROM pg_tables WHERE tablename = '_prisma_migrations'")).toEqual([]);
  });

  test('prevents the start of the service, with the reason', async () => {
    const prisma = createPrismaClient(url);
    await expect(requireUsableDatabase(prisma)).rejects.toThrow(`DATABASE_URL: ${refusal}`);
    await prisma.$disconnect();
  });

  test('makes a running service unready, and its calls 503', async () => {
    const { api } = await startControlPlane({ databaseUrl: url });
    const { body } = await api.get('/api/v1/health/ready').expect(503);
    expect(body.checks).toMatchObject({ postgresql: { status: 'down' }, schema: { status: 'down' } });
    await api.post('/api/v1/organizations/registrations').send(newRegistration()).expect(503);
  });
});

test.each([
  [140_019, 'the version of PostgreSQL is 14 and must be 15 or newer'],
  [90_624, 'the version of PostgreSQL is 9 and must be 15 or newer'],
])('version %d of PostgreSQL is refused', async (version, refusal) => {
  const client = new Client();
  const answer = { encoding: 'UTF8', version, schema: 'public', readOnly: false };
  Object.assign(client, { query: async () => [{}, {}, { rows: [answer] }] });
  await expect(prepareConnection(client, undefined)).rejects.toThrow(refusal);
  answer.version = 150_000;
  expect(await prepareConnection(client, undefined)).toEqual({ schema: 'public', readOnly: false });
});

test.each(['SQL', 'German', 'Postgres, DMY'])('times are exact if the date style is %s', async (style) => {
  const url = await createDatabase('');
  await runOnDatabase(url, `ALTER DATABASE "${databases.at(-1)}" SET datestyle = ${style}`);
  await migrate(url);
  const controlPlane = await startControlPlane({ databaseUrl: url });
  // The 4th of March, or the 3rd of April.
  controlPlane.clock.now = new Date('2026-03-04T05:06:07.089Z');
  const tenant = await createTenant(controlPlane);
  const { createdAt } = await controlPlane.prisma.organization.findUniqueOrThrow({
    where: { id: tenant.organizationId },
  });
  expect(createdAt).toEqual(controlPlane.clock.now);
});

test('a transaction is READ COMMITTED, whatever the database is set to', async () => {
  const url = await createDatabase('');
  await runOnDatabase(url, `ALTER DATABASE "${databases.at(-1)}" SET default_transaction_isolation = 'serializable'`);
  const prisma = createPrismaClient(url);
  const level = (isolationLevel?: 'RepeatableRead') =>
    prisma.$transaction((transaction) => transaction.$queryRaw`SHOW transaction_isolation`, {
      ...(isolationLevel === undefined ? {} : { isolationLevel }),
    });
  const alone = await prisma.$queryRaw`SHOW transaction_isolation`;
  expect([alone, await level()]).toEqual(Array(2).fill([{ transaction_isolation: 'read committed' }]));
  expect(await level('RepeatableRead')).toEqual([{ transaction_isolation: 'repeatable read' }]);
  await prisma.$disconnect();
});
