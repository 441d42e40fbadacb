import { randomUUID } from 'node:crypto';
import {
  cloneDatabase,
  findPgBouncer,
  startPgBouncer,
  type TestDatabase,
  type TestPgBouncer,
} from '@multi-drm/test-kit';
import { Client } from 'pg';
import { EventOutbox } from '../events/event-outbox';
import { EventPartitions } from '../events/event-partitions';
import { createEventPool } from '../events/event-pool';
import type { PrismaClient } from '../generated/prisma/client';
import { startControlPlane } from '../testing/control-plane';
import { recordingLogger } from '../testing/recording-logger';
import { bearer, createTenant } from '../testing/records';
import { isDatabaseUnavailable } from './database-unavailable';
import { createPrismaClient } from './prisma-client';

// PgBouncer in transaction mode with one server connection: a client finds what the previous one left on it.

const pooled = findPgBouncer() === undefined ? describe.skip : describe;

pooled('behind a pooler in transaction mode', () => {
  let database: TestDatabase;
  let pooler: TestPgBouncer;
  let url: string;
  let prisma: PrismaClient;

  beforeAll(async () => {
    database = await cloneDatabase();
    const started = await startPgBouncer(1);
    if (started === undefined) throw new Error('pgbouncer is not installed');
    pooler = started;
    url = pooler.url(database);
    prisma = createPrismaClient(url, { statementMilliseconds: 500 });
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await pooler.stop();
    await database.drop();
  });

  /** What a client without settings of its own finds on the one connection. */
  async function foundByAnother(setting: string): Promise<unknown> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT current_setting($1) AS value', [setting]);
    await client.end();
    return rows[0]?.value;
  }

  test('the control plane is ready, and creates and returns records', async () => {
    const controlPlane = await startControlPlane({ databaseUrl: url });
    await controlPlane.api.get('/api/v1/health/ready').expect(200);
    const { organizationId, key } = await createTenant(controlPlane);
    const projects = `/api/v1/management/organizations/${organizationId}/projects`;
    await controlPlane.api.post(projects).set(bearer(key)).send({ name: 'Lessons' }).expect(200);
    const { body } = await controlPlane.api.get(projects).set(bearer(key)).expect(200);
    expect(body.map(({ name }: { name: string }) => name)).toContain('Lessons');
  });

  test.each<[string, () => Promise<unknown>]>([
    ['by itself', () => prisma.$queryRaw`SELECT pg_sleep(10)::text`],
    ['in a transaction', () => prisma.$transaction((transaction) => transaction.$queryRaw`SELECT pg_sleep(10)::text`)],
  ])('a statement %s is ended by the server in time, and its limit does not leak to others', async (_how, call) => {
    expect(isDatabaseUnavailable(await call().catch((error: unknown) => error))).toBe(true);
    expect(await foundByAnother('statement_timeout')).toBe('0');
    expect(await foundByAnother('idle_in_transaction_session_timeout')).toBe('0');
    const patient = createPrismaClient(url, { statementMilliseconds: 5_000 });
    await patient.$queryRaw`SELECT pg_sleep(0.6)::text`;
    await patient.$disconnect();
  });

  test('events are stored, and partitions added and removed', async () => {
    const logger = recordingLogger([]);
    const pool = createEventPool(url, logger);
    const partitions = new EventPartitions({ pool, connectionString: url, eventDays: 30, logger });
    await prisma.$executeRaw`
      CREATE TABLE event_20260101 PARTITION OF event FOR VALUES FROM ('2026-01-01T00:00:00Z') TO ('2026-01-02T00:00:00Z')`;
    await partitions.add();
    expect(await partitions.daysLeft()).toBe(8);
    await partitions.removeOld();
    expect(await prisma.$queryRaw`SELECT to_regclass('event_20260101')::text AS former`).toEqual([{ former: null }]);
    await prisma.eventOutboxEntry.create({ data: { type: 'drm_system.changed', scopeId: randomUUID(), data: {} } });
    expect(await new EventOutbox(pool).move()).toBe(1);
    await pool.end();
  });

  test('each client keeps its own time zone', async () => {
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query("SET TIME ZONE 'America/New_York'");
    expect(await prisma.$queryRaw`SELECT current_setting('TimeZone') AS zone`).toEqual([{ zone: 'UTC' }]);
    expect((await other.query('SHOW TIME ZONE')).rows).toEqual([{ TimeZone: 'America/New_York' }]);
    await other.end();
  });
});
