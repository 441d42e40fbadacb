import { once } from 'node:events';
import { publishedKeys } from '@multi-drm/contracts';
import { createRedisClient, redisAt } from '@multi-drm/service-kit';
import { startNetworkLink, startRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { eventually } from '../testing/eventually';
import { insertTenant } from '../testing/insert-tenant';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { waitsForLocks } from '../testing/waits-for-locks';
import { addOutboxEntry } from './outbox-entries';
import { Publisher } from './publisher';
import { Repair } from './repair';

/** Longer than any test, so that nothing in a test is found by polling. */
const never = 3_600_000;

let prisma: PrismaClient;
let databaseUrl: string;
let redisServer: Awaited<ReturnType<typeof startRedis>>;
/** Reads the published documents. */
let reader: Redis;
let log: LogEntry[];
/** What the test has started, undone in reverse order. */
let closers: (() => Promise<unknown>)[];

beforeAll(async () => {
  redisServer = await startRedis();
  // Long, because one test makes 200 changes at the same time on few connections.
  const bounds = { connectMilliseconds: 20_000, transactionMilliseconds: 20_000 };
  ({ prisma, url: databaseUrl } = await openDatabase(bounds));
});

beforeEach(async () => {
  await prisma.outboxEntry.deleteMany();
  reader = new Redis(redisServer.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  reader.on('error', () => undefined);
  log = [];
  closers = [];
});

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  reader.disconnect();
});

afterAll(() => redisServer.stop());

type PublisherOptions = ConstructorParameters<typeof Publisher>[0];

/** Starts an instance with its own connections. */
async function startPublisher(
  options: Partial<PublisherOptions> = {},
  // On a busy machine, PostgreSQL may take seconds to accept a connection.
  { url = databaseUrl, connectMilliseconds = 10_000 } = {},
): Promise<Publisher> {
  const ownPrisma = createPrismaClient(url, { connectMilliseconds });
  const redis = createRedisClient({ servers: redisAt(redisServer.url), name: 'test', logger: recordingLogger([]) });
  const logger = recordingLogger(log);
  const publisher = new Publisher({ prisma: ownPrisma, redis, logger, pollMilliseconds: never, ...options });
  publisher.start();
  closers.push(async () => {
    await publisher.stop();
    redis.disconnect();
    await ownPrisma.$disconnect();
  });
  await once(redis, 'ready');
  return publisher;
}

const documentOf = (environmentId: string) => [{ documentKind: 'environment' as const, documentId: environmentId }];

/** Increments a setting as the API does. */
async function change(environmentId: string): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    await transaction.environment.update({
      where: { id: environmentId },
      data: { sessionLifetimeSeconds: { increment: 1 } },
    });
    await addOutboxEntry(transaction, 'environment', environmentId);
  });
}

/** Until the end of the test at most. */
function silenceRedis(): void {
  redisServer.process.kill('SIGSTOP');
  closers.push(async () => void redisServer.process.kill('SIGCONT'));
}

async function publishedLifetime(environmentId: string): Promise<number | null> {
  const document = await reader.hget(publishedKeys.environment(environmentId), 'document');
  return document ? JSON.parse(document).settings.sessionLifetimeSeconds : null;
}

/** Waits until there are no outbox entries and Redis matches the database. */
async function expectPublished(environmentId: string): Promise<void> {
  await eventually(async () => expect(await prisma.outboxEntry.count()).toBe(0));
  const environment = await prisma.environment.findUniqueOrThrow({ where: { id: environmentId } });
  expect(await publishedLifetime(environmentId)).toBe(environment.sessionLifetimeSeconds);
}

test('a change is published when the publisher is woken', async () => {
  const { environmentId } = await insertTenant(prisma);
  const publisher = await startPublisher();
  // Twice, because the first change may be found by the start itself.
  for (let times = 0; times < 2; times++) {
    await change(environmentId);
    publisher.wake();
    await expectPublished(environmentId);
  }
});

test('a leftover change is published at the start', async () => {
  const { environmentId } = await insertTenant(prisma);
  await change(environmentId);
  await startPublisher();
  await expectPublished(environmentId);
});

test('a change of another instance is found without being woken', async () => {
  const { environmentId } = await insertTenant(prisma);
  await startPublisher({ pollMilliseconds: 20 });
  for (let times = 0; times < 2; times++) {
    await change(environmentId);
    await expectPublished(environmentId);
  }
});

test('a change that is committed while another one is being published is published next', async () => {
  const { organizationId, environmentId } = await insertTenant(prisma);
  const publisher = await startPublisher();
  await prisma.$transaction(async (transaction) => {
    // Keeps the environment from being read, and so the attempt, which is past all organizations, from finishing.
    await transaction.$executeRaw`LOCK TABLE project IN ACCESS EXCLUSIVE MODE`;
    await change(environmentId);
    publisher.wake();
    await eventually(async () => expect(await waitsForLocks(prisma)).toBe(1));
    await addOutboxEntry(prisma, 'organization', organizationId);
    publisher.wake();
  });
  await expectPublished(environmentId);
});

test('after 200 concurrent changes of one record under two publishers, Redis matches the database', async () => {
  const { environmentId } = await insertTenant(prisma);
  const start = () => startPublisher({ pollMilliseconds: 50 }, { connectMilliseconds: 20_000 });
  const publishers = [await start(), await start()];
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      await change(environmentId);
      publishers[index % 2]?.wake();
    }),
  );
  await expectPublished(environmentId);
  expect(await publishedLifetime(environmentId)).toBe(14_400 + 200);
  expect(log).toEqual([]);
});

test.each([
  ['stopped', () => redisServer.stop(), () => redisServer.start()],
  ['silent', async () => redisServer.process.kill('SIGSTOP'), async () => redisServer.process.kill('SIGCONT')],
])(
  'while Redis is %s, nothing is lost, and the outage is logged once',
  async (_name, breakRedis, mendRedis) => {
    const tenants = [await insertTenant(prisma), await insertTenant(prisma)];
    const publisher = await startPublisher();
    await breakRedis();
    for (const { environmentId } of tenants) await change(environmentId);
    publisher.wake();
    await eventually(async () => expect(log).toHaveLength(1));
    publisher.wake();
    await mendRedis();
    for (const { environmentId } of tenants) await expectPublished(environmentId);
    await eventually(async () => expect(log).toHaveLength(2));
    expect(log).toEqual([
      { level: 'warn', message: 'publishing is interrupted', fields: { error: expect.any(Error) } },
      { level: 'info', message: 'publishing has resumed', fields: {} },
    ]);
  },
  20_000,
);

test('a reconnect to Redis ends the back-off', async () => {
  const { environmentId } = await insertTenant(prisma);
  // The repair would end the back-off too, once it finds something to refill.
  const repair = jest.spyOn(Repair.prototype, 'start').mockImplementation(() => undefined);
  const publisher = await startPublisher({ random: () => never });
  repair.mockRestore();
  await redisServer.stop();
  await change(environmentId);
  publisher.wake();
  await eventually(async () => expect(log).toHaveLength(1));
  await redisServer.start();
  await expectPublished(environmentId);
});

test('a change after an outage that broke no connection is published without waiting for the back-off', async () => {
  const { environmentId } = await insertTenant(prisma);
  // A back-off longer than the test, unless something ends it.
  const publisher = await startPublisher({ pollMilliseconds: 20, random: () => never });
  await change(environmentId);
  await expectPublished(environmentId);
  silenceRedis();
  await change(environmentId);
  await eventually(async () => expect(log).toHaveLength(1));
  redisServer.process.kill('SIGCONT');
  await reader.ping();
  await change(environmentId);
  await publisher.whenPublished(documentOf(environmentId));
  await expectPublished(environmentId);
});

test('while PostgreSQL is unreachable, nothing is lost, and the outage is logged once', async () => {
  const { environmentId } = await insertTenant(prisma);
  const link = await startNetworkLink(databaseUrl);
  closers.push(() => link.close());
  await startPublisher({ pollMilliseconds: 20 }, { url: link.url, connectMilliseconds: 500 });
  await link.cut();
  await change(environmentId);
  await eventually(async () => expect(log).toHaveLength(1));
  await link.restore();
  await expectPublished(environmentId);
  await eventually(async () =>
    expect(log.map(({ message }) => message)).toEqual(['publishing is interrupted', 'publishing has resumed']),
  );
});

describe('waiting for the publication of a change', () => {
  const waited = async (publisher: Publisher, environmentId: string) => {
    const since = performance.now();
    await publisher.whenPublished(documentOf(environmentId));
    return performance.now() - since;
  };

  test('ends when the change is in Redis, without waking the publisher', async () => {
    const { environmentId } = await insertTenant(prisma);
    const publisher = await startPublisher({ maximumWaitMilliseconds: 10_000 });
    for (const lifetime of [14_401, 14_402, 14_403]) {
      await change(environmentId);
      await publisher.whenPublished(documentOf(environmentId));
      expect(await publishedLifetime(environmentId)).toBe(lifetime);
    }
  });

  test('ends when another instance has published the change', async () => {
    const { environmentId } = await insertTenant(prisma);
    const [idle, other] = [await startPublisher({ maximumWaitMilliseconds: 10_000 }), await startPublisher()];
    await idle.stop();
    await change(environmentId);
    const waiting = idle.whenPublished(documentOf(environmentId));
    other.wake();
    await waiting;
    expect(await publishedLifetime(environmentId)).toBe(14_401);
  });

  test('ends after its maximum time if Redis does not answer, and at once if that is known', async () => {
    const { environmentId } = await insertTenant(prisma);
    const publisher = await startPublisher({ maximumWaitMilliseconds: 1_000 });
    silenceRedis();
    await change(environmentId);
    const first = await waited(publisher, environmentId);
    expect(first).toBeGreaterThan(990);
    await eventually(async () => expect(log).toHaveLength(1));
    expect(await waited(publisher, environmentId)).toBeLessThan(first / 2);
  });

  test('ends without an error if PostgreSQL is unreachable', async () => {
    const { environmentId } = await insertTenant(prisma);
    const link = await startNetworkLink(databaseUrl);
    closers.push(() => link.close());
    const publisher = await startPublisher(
      { maximumWaitMilliseconds: 150 },
      { url: link.url, connectMilliseconds: 500 },
    );
    await change(environmentId);
    await link.cut();
    expect(await waited(publisher, environmentId)).toBeLessThan(5_000);
  });
});

test('once stopped it publishes nothing more', async () => {
  const { environmentId } = await insertTenant(prisma);
  const publisher = await startPublisher({ pollMilliseconds: 1 });
  await publisher.stop();
  await change(environmentId);
  publisher.wake();
  expect(await prisma.outboxEntry.count()).toBe(1);
  expect(await publishedLifetime(environmentId)).toBeNull();
});

test('a stop does not wait for the next attempt', async () => {
  const publisher = await startPublisher();
  await expect(publisher.stop()).resolves.toBeUndefined();
});
