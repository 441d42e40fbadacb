import { randomUUID } from 'node:crypto';
import { runOnDatabase } from '@multi-drm/test-kit';
import type { BoundedPool } from '../database/connection-pool';
import { partitionedTables } from '../database/partitions';
import type { PrismaClient } from '../generated/prisma/client';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { EventPartitions } from './event-partitions';
import { createEventPool } from './event-pool';

let prisma: PrismaClient;
let url: string;
let pool: BoundedPool;
let log: LogEntry[];

beforeAll(async () => {
  ({ prisma, url } = await openDatabase());
});
beforeEach(async () => {
  log = [];
  pool = createEventPool(url, recordingLogger(log));
});
afterEach(() => pool.end());

const partitions = (connectionString = url) =>
  new EventPartitions({ pool, connectionString, eventDays: 30, logger: recordingLogger(log) });

const dayNames = (...distances: number[]) =>
  distances.map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''));

/** The days of the partitions of a table. */
async function days(table: string): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ day: string }[]>`
    SELECT right(inhrelid::regclass::text, 8) AS day FROM pg_inherits WHERE inhparent = ${table}::regclass ORDER BY 1`;
  return rows.map(({ day }) => day);
}

/** Adds partitions of former days. */
async function addFormer(table: string, ...distances: number[]): Promise<void> {
  for (const distance of distances) {
    const [day, next] = dayNames(-distance, 1 - distance);
    await prisma.$executeRawUnsafe(
      `CREATE TABLE ${table}_${day} PARTITION OF ${table} FOR VALUES FROM ('${day} 00:00:00Z') TO ('${next} 00:00:00Z')`,
    );
  }
}

const tables = async (pattern: string) =>
  (
    await prisma.$queryRaw<
      { name: string }[]
    >`SELECT relname::text AS name FROM pg_class WHERE relname ~ ${pattern} AND relkind = 'r'`
  )
    .map(({ name }) => name)
    .sort();

test('partitions are added up to seven days ahead, and it is known how many days have one', async () => {
  await partitions().add();
  await partitions().add();
  const expected = dayNames(-1, 0, 1, 2, 3, 4, 5, 6, 7);
  expect(await Promise.all(partitionedTables.map(days))).toEqual(partitionedTables.map(() => expected));
  expect(await partitions().daysLeft()).toBe(8);
  const [, , , , gone] = expected;
  await prisma.$executeRawUnsafe(`DROP TABLE session_${gone}`);
  expect(await partitions().daysLeft()).toBe(3);
  await partitions().add();
  expect(await partitions().daysLeft()).toBe(8);
});

test('a day whose events are stored has partitions for their deliveries, too, so that they can be replayed', async () => {
  await addFormer('event', 20);
  await partitions().add();
  expect((await days('webhook_delivery'))[0]).toBe(dayNames(-20)[0]);
});

test('partitions are removed when their days are over, also those that an interruption left', async () => {
  await addFormer('event', 33, 32, 31, 30);
  await addFormer('session', 36, 35);
  await addFormer('webhook_delivery', 31);
  const [detached = '', kept = ''] = dayNames(-33, -30);
  await prisma.$executeRawUnsafe(`ALTER TABLE event DETACH PARTITION event_${detached}`);
  await partitions().removeOld();
  const left = await tables('^(event|session)_\\d{8}$');
  const [today = '', month = '', session = ''] = dayNames(0, -31, -35);
  expect(left).toEqual(expect.arrayContaining([`event_${kept}`, `event_${today}`, `session_${session}`]));
  expect(left).not.toContain(`event_${month}`);
  expect(await days('webhook_delivery')).not.toContain(month);
  expect((await days('event'))[0]).toBe(kept);
  expect((await days('session'))[0]).toBe(session);
  expect(left).not.toContain(`event_${detached}`);
});

test('a partition whose removal was interrupted while it waited for a reader is removed the next time', async () => {
  await addFormer('event', 40);
  const [day = ''] = dayNames(-40);
  await prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT count(*)::int FROM event`;
    // It waits for the transaction that has read the table, which goes on undisturbed, and gives up.
    const interrupted = new EventPartitions({
      pool,
      connectionString: `${url}${url.includes('?') ? '&' : '?'}options=-c%20statement_timeout%3D200`,
      eventDays: 30,
      logger: recordingLogger(log),
    });
    await expect(interrupted.removeOld()).rejects.toThrow('statement timeout');
    await transaction.$queryRaw`SELECT count(*)::int FROM event`;
  });
  expect(await tables(`^event_${day}$`)).toEqual([`event_${day}`]);
  await partitions().removeOld();
  expect(await tables(`^event_${day}$`)).toEqual([]);
});

test('what was set aside, and gaps, are removed when their days are over', async () => {
  const now = Date.now();
  const at = (days: number) => new Date(now - days * 86_400_000);
  for (const days of [29, 31]) {
    const digest = Buffer.from(`entry of ${days}`);
    await prisma.eventSetAside.create({
      data: { digest, list: 'list', entry: digest, size: 1, reason: 'wrong-form', setAsideAt: at(days) },
    });
    await prisma.eventGap.create({ data: { list: 'list', from: at(days + 1), to: at(days), count: 1 } });
  }
  await partitions().removeOld();
  expect(await prisma.eventSetAside.findMany()).toMatchObject([{ digest: expect.anything() }]);
  expect(await prisma.eventGap.findMany()).toMatchObject([{ from: at(30) }]);
});

test('where the role may not add partitions, it is logged once, and nothing else fails', async () => {
  const role = `reader_${randomUUID()}`;
  await runOnDatabase(url, `CREATE ROLE "${role}" LOGIN PASSWORD 'secret'`);
  await runOnDatabase(url, `GRANT SELECT, DELETE ON ALL TABLES IN SCHEMA public TO "${role}"`);
  const asRole = new URL(url);
  asRole.username = role;
  asRole.password = 'secret';
  const [, , missing] = dayNames(0, 1, 7);
  await runOnDatabase(url, `DROP TABLE IF EXISTS event_${missing}`);
  const rolePool = createEventPool(asRole.href, recordingLogger(log));
  const refused = new EventPartitions({
    pool: rolePool,
    connectionString: asRole.href,
    eventDays: 30,
    logger: recordingLogger(log),
  });
  await refused.add();
  await refused.add();
  await refused.removeOld();
  expect(await refused.daysLeft()).toBeGreaterThan(0);
  const warnings = log.filter(({ level }) => level === 'warn');
  expect(warnings.map(({ message }) => message)).toEqual([
    'the role may not add partitions for events: run node dist/migrate.js at least once a week',
  ]);
  await rolePool.end();
  await runOnDatabase(url, `DROP OWNED BY "${role}"`);
  await runOnDatabase(url, `DROP ROLE "${role}"`);
});
