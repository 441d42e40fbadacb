import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import type { PrismaClient } from '../generated/prisma/client';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { insertEndpoint, storableEvent } from '../testing/webhook-endpoints';
import { createEventPool } from './event-pool';
import { type EventRow, insertEvents } from './event-rows';

let prisma: PrismaClient;
let pool: BoundedPool;
let tenant: InsertedTenant;
let otherEnvironment: string;

beforeAll(async () => {
  const database = await openDatabase();
  prisma = database.prisma;
  pool = createEventPool(database.url, recordingLogger([]));
});
beforeEach(async () => {
  tenant = await insertTenant(prisma);
  const { projectId } = tenant;
  const data = { projectId, kind: 'production' as const, name: 'Production', maximumConcurrentStreams: 3 };
  ({ id: otherEnvironment } = await prisma.environment.create({ data }));
});
afterAll(async () => {
  await pool.end();
});

const store = (...events: EventRow[]) => inTransaction(pool, (client) => insertEvents(client, events));
const endpoint = (changes: Parameters<typeof insertEndpoint>[2] = {}, projectId = tenant.projectId) =>
  insertEndpoint(prisma, projectId, changes);
/** The types of events that were stored for an endpoint. */
async function heard(endpointId: string): Promise<string[]> {
  const deliveries = await prisma.webhookDelivery.findMany({ where: { endpointId } });
  const events = await prisma.event.findMany({ where: { id: { in: deliveries.map(({ eventId }) => eventId) } } });
  return events.map(({ type }) => type).sort();
}

test('an endpoint hears of events of its project’s environments, of its project and of its organization, and of no others', async () => {
  const own = await endpoint();
  const sibling = await prisma.project.create({ data: { organizationId: tenant.organizationId, name: 'Sibling' } });
  const siblingEndpoint = await endpoint({}, sibling.id);
  const strangerEndpoint = await endpoint({}, (await insertTenant(prisma)).projectId);
  await store(
    storableEvent(tenant.environmentId),
    storableEvent(tenant.projectId, { type: 'end_user.blocked' }),
    storableEvent(tenant.organizationId, { type: 'organization.suspended' }),
  );
  expect(await heard(own)).toEqual(['end_user.blocked', 'organization.suspended', 'session.started']);
  expect(await heard(siblingEndpoint)).toEqual(['organization.suspended']);
  expect(await heard(strangerEndpoint)).toEqual([]);
});

test('an endpoint of an archived project hears of the project, and of the organization no more', async () => {
  const own = await endpoint();
  await prisma.project.update({ where: { id: tenant.projectId }, data: { status: 'archived' } });
  await store(
    storableEvent(tenant.environmentId, { type: 'session.ended' }),
    storableEvent(tenant.projectId, { type: 'end_user.blocked' }),
    storableEvent(tenant.organizationId, { type: 'organization.suspended' }),
  );
  expect(await heard(own)).toEqual(['end_user.blocked', 'session.ended']);
});

test('an endpoint hears of the types that it names, by themselves or in groups', async () => {
  const one = await endpoint({ types: ['session.ended'] });
  const group = await endpoint({ types: ['session.*'] });
  const all = await endpoint({ types: ['*'] });
  const types = ['session.started', 'session.ended', 'license.issued'] as const;
  await store(...types.map((type) => storableEvent(tenant.environmentId, { type })));
  expect(await heard(one)).toEqual(['session.ended']);
  expect(await heard(group)).toEqual(['session.ended', 'session.started']);
  expect(await heard(all)).toEqual(['license.issued', 'session.ended', 'session.started']);
});

test('environments that an endpoint names exclude other environments, and no events of the project', async () => {
  const some = await endpoint({ environmentIds: [otherEnvironment] });
  await store(
    storableEvent(tenant.environmentId),
    storableEvent(otherEnvironment, { type: 'session.ended' }),
    storableEvent(tenant.projectId, { type: 'api_client.rotated' }),
  );
  expect(await heard(some)).toEqual(['api_client.rotated', 'session.ended']);
});

test('a disabled endpoint hears of nothing', async () => {
  const disabled = await endpoint({ enabled: false });
  await store(storableEvent(tenant.environmentId));
  expect(await heard(disabled)).toEqual([]);
});

test('an event that is stored again is not sent again', async () => {
  const id = await endpoint();
  const event = storableEvent(tenant.environmentId);
  await store(event);
  await prisma.webhookDelivery.deleteMany({ where: { endpointId: id } });
  await store(event);
  expect(await heard(id)).toEqual([]);
});

test('if the events cannot be committed, neither can their deliveries', async () => {
  const id = await endpoint();
  const failing = inTransaction(pool, async (client) => {
    await insertEvents(client, [storableEvent(tenant.environmentId)]);
    throw new Error('the transaction fails');
  });
  await expect(failing).rejects.toThrow('the transaction fails');
  expect(await heard(id)).toEqual([]);
});
