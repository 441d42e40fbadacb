import type { BoundedPool } from '../database/connection-pool';
import type { PrismaClient } from '../generated/prisma/client';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { addPartitionsOf } from '../testing/sessions';
import { openDatabase } from '../testing/test-database';
import { createEventPool } from './event-pool';
import { StreamLimitEvents } from './stream-limit-events';

let prisma: PrismaClient;
let pool: BoundedPool;
let tenant: InsertedTenant;
/** How many streams every organization has. */
let streams: number;

beforeAll(async () => {
  const database = await openDatabase();
  prisma = database.prisma;
  pool = createEventPool(database.url, recordingLogger([]));
});
beforeEach(async () => {
  tenant = await insertTenant(prisma);
});
afterAll(() => pool.end());

const newEvents = () => new StreamLimitEvents({ pool, countStreams: async () => streams });

/** Announces what is to be announced of the tenant, of whose plan the limit is 100. */
async function announce(events: StreamLimitEvents, count: number): Promise<void> {
  streams = count;
  events.noteStarts([tenant.environmentId]);
  await events.announce();
}

/** The types of the events of the organization, oldest first. */
async function announced(): Promise<string[]> {
  const where = { scopeId: tenant.organizationId };
  const events = await prisma.eventOutboxEntry.findMany({ where, orderBy: [{ time: 'asc' }, { type: 'desc' }] });
  return events.map(({ type }) => type.replace('organization.', ''));
}

test('an organization with 80 percent of the streams of its plan is near the limit, and with all of them at it', async () => {
  const events = newEvents();
  await announce(events, 79);
  expect(await announced()).toEqual([]);
  await announce(events, 80);
  expect(await announced()).toEqual(['streams_near_limit']);
  await announce(events, 99);
  expect(await announced()).toEqual(['streams_near_limit']);
  await announce(events, 100);
  expect(await announced()).toEqual(['streams_near_limit', 'streams_at_limit']);
  const where = { scopeId: tenant.organizationId, type: 'organization.streams_at_limit' };
  const { data } = await prisma.eventOutboxEntry.findFirstOrThrow({ where });
  expect(data).toEqual({ plan: 'developer', limit: 100, streams: 100 });
});

test('each is announced once an hour, whatever number of instances look, at the same time or later', async () => {
  const instances = [newEvents(), newEvents(), newEvents()];
  await Promise.all(instances.map((events) => announce(events, 100)));
  for (const events of instances) await announce(events, 100);
  expect(await announced()).toEqual(['streams_near_limit', 'streams_at_limit']);
  await prisma.eventOutboxEntry.updateMany({ data: { time: new Date(Date.now() - 3_601_000) } });
  for (const events of instances) await announce(events, 100);
  expect(await announced()).toHaveLength(4);
});

test('what is stored as an event already is not announced again within the hour', async () => {
  await addPartitionsOf(prisma, new Date());
  const type = 'organization.streams_near_limit';
  await prisma.$executeRaw`INSERT INTO event (time, id, type, scope_id, data) VALUES
    (now(), gen_random_uuid(), ${type}, ${tenant.organizationId}::uuid, '{}')`;
  await announce(newEvents(), 80);
  expect(await announced()).toEqual([]);
});

test('an organization stays watched while it is near its limit, and is looked at again after a start', async () => {
  const events = newEvents();
  await announce(events, 10);
  streams = 90; // counted a moment after the start was reported
  await events.announce();
  expect(await announced()).toEqual(['streams_near_limit']);
  streams = 100;
  await events.announce();
  await events.announce();
  expect(await announced()).toEqual(['streams_near_limit', 'streams_at_limit']);
});

test('a plan without a limit is never near it', async () => {
  await prisma.organization.update({ where: { id: tenant.organizationId }, data: { planId: 'enterprise' } });
  await announce(newEvents(), 1_000_000);
  expect(await announced()).toEqual([]);
});
