import { randomUUID } from 'node:crypto';
import { cloneDatabase, runOnDatabase, type TestDatabase } from '@multi-drm/test-kit';
import type { PrismaClient } from '../generated/prisma/client';
import { startControlPlane } from '../testing/control-plane';
import { isDatabaseUnavailable } from './database-unavailable';
import { createPrismaClient } from './prisma-client';
import { requireWritable } from './require-writable';

let database: TestDatabase;
let prisma: PrismaClient;
const connections = 3;

beforeEach(async () => {
  database = await cloneDatabase();
  prisma = createPrismaClient(database.directUrl, { poolSize: connections });
});
afterEach(async () => {
  await prisma.$disconnect();
  await acceptWrites();
  await database.drop();
});

const nameOf = ({ directUrl }: TestDatabase) => new URL(directUrl).pathname.slice(1);

/** Connections that are opened from now on accept no writes for as long as they exist. */
async function refuseWrites(): Promise<void> {
  await runOnDatabase(
    database.directUrl,
    `ALTER DATABASE "${nameOf(database)}" SET default_transaction_read_only = on`,
  );
}
async function acceptWrites(): Promise<void> {
  const statement = `ALTER DATABASE "${nameOf(database)}" RESET default_transaction_read_only`;
  await runOnDatabase(process.env.TEST_POSTGRES_URL ?? '', statement);
}

const write = () => prisma.outboxEntry.create({ data: { documentKind: 'content', documentId: randomUUID() } });

/** Runs this on every connection of the pool at once. */
const onAll = (run: (client: PrismaClient) => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: connections }, () => run(prisma)));
const sleep = (client: PrismaClient) => client.$queryRaw`SELECT pg_sleep(0.1)::text`;

/** Has the connections refuse writes from now on, as if their server were no longer a primary. */
const becomeReadOnly = () =>
  onAll(
    (client) => client.$queryRaw`SELECT set_config('default_transaction_read_only', 'on', false), pg_sleep(0.1)::text`,
  );

const writes: [string, () => Promise<unknown>][] = [
  ['alone', write],
  ['in a transaction', () => prisma.$transaction([write(), write()])],
];

describe.each(writes)('a write %s', (_how, attempt) => {
  test('succeeds as soon as the database accepts writes, whatever connections were opened before', async () => {
    await refuseWrites();
    await onAll(sleep);
    expect(isDatabaseUnavailable(await attempt().catch((error: unknown) => error))).toBe(true);
    await onAll(sleep);
    await acceptWrites();
    await attempt();
  });

  test('that is refused ends all connections that were open before', async () => {
    await becomeReadOnly();
    await expect(attempt()).rejects.toThrow(/read-only transaction/);
    for (let count = 0; count < connections; count += 1) await attempt();
    await onAll(write);
  });
});

test('connections are kept while the database accepts writes, whatever else fails', async () => {
  const processes = () =>
    runOnDatabase(
      database.directUrl,
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() ORDER BY pid',
    );
  await onAll(sleep);
  const before = (await processes()).length;
  await expect(prisma.$transaction([write(), prisma.$queryRaw`SELECT nothing`])).rejects.toThrow();
  expect(await processes()).toHaveLength(before);
});

test('readiness ends connections that accept no writes, so that it recovers without a write', async () => {
  await becomeReadOnly();
  await expect(requireWritable(prisma)).rejects.toThrow('the database accepts no writes');
  await requireWritable(prisma);
  for (let count = 0; count < connections; count += 1) await write();
});

test('a service whose database was read-only for a moment is ready with the next call', async () => {
  const controlPlane = await startControlPlane({ databaseUrl: database.directUrl });
  await refuseWrites();
  await controlPlane.api.get('/api/v1/health/ready').expect(503);
  await controlPlane.api.get('/api/v1/health/ready').expect(503);
  await acceptWrites();
  await controlPlane.api.get('/api/v1/health/ready').expect(200);
});
