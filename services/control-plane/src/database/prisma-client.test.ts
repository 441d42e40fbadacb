import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { cloneDatabase, type NetworkLink, startNetworkLink } from '@multi-drm/test-kit';
import type { PrismaClient } from '../generated/prisma/client';
import { eventually } from '../testing/eventually';
import { createConnectionPool } from './connection-pool';
import type { Transaction } from './database';
import { isDatabaseUnavailable } from './database-unavailable';
import { createPrismaClient, type PrismaClientOptions } from './prisma-client';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let link: NetworkLink;
/** A client with one connection, through a link of its own. */
let prisma: PrismaClient;
/** A second client for the same database. */
let observer: PrismaClient;

const shortBounds: PrismaClientOptions = { poolSize: 1, connectMilliseconds: 500, statementMilliseconds: 500 };

/** Each kind of call through the client. */
const calls: [string, (client: PrismaClient) => Promise<unknown>][] = [
  ['a query of a model', (client) => client.organization.findFirst()],
  ['a raw query', (client) => client.$queryRaw`SELECT 1`],
  ['a raw statement', (client) => client.$executeRaw`DELETE FROM outbox_entry`],
  ['an interactive transaction', (client) => client.$transaction((transaction) => transaction.project.findFirst())],
  ['a list of queries', (client) => client.$transaction([client.project.findFirst(), client.apiClient.findFirst()])],
];

async function terminateConnections(): Promise<void> {
  await observer.$queryRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
}

async function sleepingStatements(): Promise<number> {
  const rows = await observer.$queryRaw<unknown[]>`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  return rows.length;
}

async function idleTransactions(): Promise<number> {
  const rows = await observer.$queryRaw<unknown[]>`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`;
  return rows.length;
}

/** Whether the call fails because the database is unavailable. */
const unavailable = async (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => false,
    (error: unknown) => isDatabaseUnavailable(error),
  );

/** Retried, because the limits are shorter than a busy machine may take to connect. */
const works = (call: () => Promise<unknown>) => eventually(async () => expect(await unavailable(call())).toBe(false));

const addEntry = (client: Transaction, documentId: string) =>
  client.outboxEntry.create({ data: { documentKind: 'content', documentId } });

beforeAll(async () => {
  database = await cloneDatabase();
  observer = createPrismaClient(database.url);
});

beforeEach(async () => {
  link = await startNetworkLink(database.url);
  prisma = createPrismaClient(link.url, shortBounds);
});

afterEach(async () => {
  await prisma.$disconnect();
  await link.close();
});

afterAll(async () => {
  await observer.$disconnect();
  await database.drop();
});

describe.each(calls)('%s', (_name, call) => {
  test('fails as unavailable if nothing listens, and works once the database is back', async () => {
    await link.cut();
    expect(await unavailable(call(prisma))).toBe(true);
    await link.restore();
    await works(() => call(prisma));
  });

  test('fails as unavailable if the database accepts the connection but never answers', async () => {
    link.silence();
    expect(await unavailable(call(prisma))).toBe(true);
  });

  test('fails as unavailable if a connection stops answering, and works once the database is back', async () => {
    await prisma.$queryRaw`SELECT 1`;
    link.silence();
    expect(await unavailable(call(prisma))).toBe(true);
    await link.restore();
    await works(() => call(prisma));
  });

  test('fails as unavailable if all connections of the pool stay in use', async () => {
    await prisma.$transaction(async () => {
      expect(await unavailable(call(prisma))).toBe(true);
    });
  });

  test('fails as unavailable if the user has no connections left', async () => {
    const role = `limited_${randomUUID().slice(0, 8)}`;
    await observer.$executeRawUnsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'secret' CONNECTION LIMIT 0`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'secret';
    const limited = createPrismaClient(url.href, shortBounds);
    expect(await unavailable(call(limited))).toBe(true);
    await limited.$disconnect();
    await observer.$executeRawUnsafe(`DROP ROLE ${role}`);
  });
});

test('a statement that takes too long fails as unavailable, and the database stops working on it', async () => {
  expect(await unavailable(prisma.$queryRaw`SELECT pg_sleep(10)::text`)).toBe(true);
  expect(await sleepingStatements()).toBe(0);
});

test('a transaction whose client stops answering is ended by the database, which frees its locks', async () => {
  const client = createPrismaClient(link.url, { ...shortBounds, transactionMilliseconds: 200 });
  const call = client.$transaction(async (transaction) => {
    await addEntry(transaction, randomUUID());
    link.silence();
    await addEntry(transaction, randomUUID());
  });
  expect(await unavailable(call)).toBe(true);
  await eventually(async () => expect(await idleTransactions()).toBe(0));
  await client.$disconnect();
});

test('an error from the database costs no connection', async () => {
  const connection = () => prisma.$queryRaw`SELECT pg_backend_pid() AS process`;
  const before = await connection();
  await expect(prisma.$queryRaw`SELECT nothing`).rejects.toThrow();
  expect(await connection()).toEqual(before);
});

test('a statement outside a transaction fails if a constraint is violated at its end', async () => {
  await observer.$executeRaw`CREATE TABLE part (id int PRIMARY KEY, whole int REFERENCES part DEFERRABLE INITIALLY DEFERRED)`;
  await expect(prisma.$executeRaw`INSERT INTO part VALUES (1, 2)`).rejects.toThrow(/foreign key/i);
});

test.each(['America/New_York', 'Asia/Kolkata'])('times are UTC if the database is in %s', async (zone) => {
  await observer.$executeRawUnsafe(
    `ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" SET timezone = '${zone}'`,
  );
  // New York's clocks skip this time in that night.
  const createdAt = new Date('2027-03-14T02:30:00.000Z');
  const written = { documentKind: 'content' as const, documentId: randomUUID(), createdAt };
  await prisma.outboxEntry.create({ data: written });
  expect(await prisma.outboxEntry.findFirst({ where: written, select: { createdAt: true } })).toEqual({ createdAt });
  const raw = await prisma.$queryRaw`
    SELECT created_at AS "createdAt", extract(epoch FROM created_at)::double precision AS seconds
    FROM outbox_entry WHERE document_id = ${written.documentId}::uuid AND created_at <= ${createdAt}`;
  expect(raw).toEqual([{ createdAt, seconds: createdAt.getTime() / 1000 }]);
  await prisma.outboxEntry.deleteMany({ where: written });
});

test('a database that closes the connection during a query is unavailable', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createPrismaClient(`postgresql://user:secret@127.0.0.1:${port}/none`);
  expect(await unavailable(client.organization.findFirst())).toBe(true);
  await client.$disconnect();
  server.close();
});

test('a database without TLS is unavailable if TLS is required', async () => {
  const client = createPrismaClient(`${database.url}?sslmode=verify-full`);
  expect(await unavailable(client.organization.findFirst())).toBe(true);
  await client.$disconnect();
});

test('a model query that waits too long for a lock fails as unavailable', async () => {
  await observer.$transaction(async (transaction) => {
    await transaction.$executeRaw`LOCK TABLE organization IN ACCESS EXCLUSIVE MODE`;
    expect(await unavailable(prisma.organization.findFirst())).toBe(true);
  });
});

test('a connection that breaks while nobody else listens is reported once, and its pool continues', async () => {
  const broken: Error[] = [];
  const pool = createConnectionPool({
    connectionString: link.url,
    size: 1,
    connectMilliseconds: 500,
    bounds: { statementMilliseconds: 500, idleInTransactionMilliseconds: 500 },
    onConnected: () => undefined,
    onConnectionError: (error) => broken.push(error),
  });
  // The moment between the pool, which hands it out, and the adapter, which then starts to listen.
  const borrowed = await pool.connect();
  await link.cut();
  await eventually(async () => expect(broken).toEqual([expect.any(Error)]));
  borrowed.release();
  await link.restore();
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await link.cut(); // while it is idle
  await eventually(async () => expect(broken).toEqual([expect.any(Error), expect.any(Error)]));
  await pool.end();
});

test('a transaction whose connection is terminated between two queries fails as unavailable', async () => {
  let client = prisma;
  const broken = new Promise<Error>((resolve) => {
    client = createPrismaClient(database.url, { onConnectionError: resolve });
  });
  const call = client.$transaction(async (transaction) => {
    await transaction.organization.findFirst();
    await terminateConnections();
    await broken;
    await transaction.organization.findFirst();
  });
  expect(await unavailable(call)).toBe(true);
  await client.$disconnect();
});

test('a transaction whose connection is terminated before the commit fails as unavailable and leaves nothing', async () => {
  const id = randomUUID();
  const call = prisma.$transaction(async (transaction) => {
    await addEntry(transaction, id);
    await terminateConnections();
  });
  expect(await unavailable(call)).toBe(true);
  expect(await observer.outboxEntry.count({ where: { documentId: id } })).toBe(0);
});

test('a query whose connection is terminated while it runs fails as unavailable', async () => {
  const patient = createPrismaClient(database.url);
  const call = unavailable(patient.$queryRaw`SELECT pg_sleep(3)::text`);
  await eventually(async () => expect(await sleepingStatements()).toBe(1));
  await terminateConnections();
  expect(await call).toBe(true);
  await patient.$disconnect();
});

test('a write that was acknowledged after a transaction timed out is in the database', async () => {
  const [lost, kept] = [randomUUID(), randomUUID()];
  const call = prisma.$transaction(async (transaction) => {
    await addEntry(transaction, lost);
    link.silence();
    await addEntry(transaction, lost);
  });
  expect(await unavailable(call)).toBe(true);
  await link.restore();
  await addEntry(prisma, kept);
  expect(await observer.outboxEntry.findMany({ select: { documentId: true } })).toEqual([{ documentId: kept }]);
});

test('an error from the database does not mean that it is unavailable', async () => {
  const where = { documentKind: 'content' as const, documentId: randomUUID() };
  await prisma.publishedDocument.create({ data: where });
  expect(await unavailable(prisma.publishedDocument.create({ data: where }))).toBe(false);
  expect(await unavailable(prisma.$queryRaw`SELECT nothing`)).toBe(false);
  expect(await unavailable(prisma.apiClient.findMany({ where: { id: 'Query read timeout' } }))).toBe(false);
});
