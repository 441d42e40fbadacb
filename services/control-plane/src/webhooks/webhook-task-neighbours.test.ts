import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { createEventPool } from '../events/event-pool';
import { type EventRow, insertEvents } from '../events/event-rows';
import type { PrismaClient } from '../generated/prisma/client';
import { eventually } from '../testing/eventually';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { insertEndpoint, storableEvent, webhookSecretKeys } from '../testing/webhook-endpoints';
import type { Attempt, Destination } from './webhook-sender';
import { WebhookTask } from './webhook-task';

let prisma: PrismaClient;
let connectionString: string;
let pool: BoundedPool;
let tenant: InsertedTenant;
/** The URLs to which was sent. */
let sent: string[];
let answerAll: () => void;
let answered: Promise<void>;
const tasks: WebhookTask[] = [];

beforeAll(async () => {
  ({ prisma, url: connectionString } = await openDatabase());
  pool = createEventPool(connectionString, recordingLogger([]));
});
beforeEach(async () => {
  tenant = await insertTenant(prisma);
  sent = [];
  answered = new Promise((resolve) => {
    answerAll = resolve;
  });
});
afterEach(async () => {
  answerAll();
  await stopTasks();
  await prisma.webhookEndpoint.updateMany({ data: { enabled: false } });
});
afterAll(async () => {
  await pool.end();
});

const success = { succeeded: true, status: 204, error: null, answer: null, retryAfter: undefined, milliseconds: 1 };
const never = 'https://hooks.example.com/never';
/** Answers at once, or to the URL `never` when the test says so. */
async function send({ url }: Destination): Promise<Attempt> {
  sent.push(url);
  if (url === never) await answered;
  return success;
}

function startTask(): void {
  const task = new WebhookTask({
    connectionString,
    database: prisma,
    sender: { send },
    secretKeys: webhookSecretKeys,
    retrySeconds: [3_600],
    logger: recordingLogger([]),
    count: () => undefined,
    now: () => new Date(),
    monotonicNow: () => performance.now(),
    pollMilliseconds: 10,
  });
  tasks.push(task);
  task.start();
}

async function stopTasks(): Promise<void> {
  await Promise.all(tasks.splice(0).map((task) => task.stop()));
}

const store = (...events: EventRow[]) => inTransaction(pool, (client) => insertEvents(client, events));
const count = (endpointId: string, status: 'delivered' | 'failed') =>
  prisma.webhookDelivery.count({ where: { endpointId, status, nextAttemptAt: null } });

test('600 endpoints of an organization that never answer leave leases to those of another', async () => {
  const other = await insertTenant(prisma);
  for (let index = 0; index < 600; index += 1) await insertEndpoint(prisma, tenant.projectId, { url: never });
  const healthy = await insertEndpoint(prisma, other.projectId);
  await store(storableEvent(tenant.environmentId));
  startTask();
  await eventually(async () => {
    expect(await prisma.webhookEndpoint.count({ where: { leaseOwner: { not: null } } })).toBe(512);
  });
  await store(storableEvent(other.environmentId));
  await eventually(async () => expect(await count(healthy, 'delivered')).toBe(1), 5_000);
});

test('what was due at an endpoint that is removed ends, also what is due later', async () => {
  const endpointId = await insertEndpoint(prisma, tenant.projectId);
  const [first, second] = [storableEvent(tenant.environmentId), storableEvent(tenant.environmentId)];
  await store(first, second);
  const nextAttemptAt = new Date(Date.now() + 3_600_000);
  await prisma.webhookDelivery.updateMany({ where: { eventId: second.id }, data: { nextAttemptAt } });
  await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { enabled: false, removedAt: new Date() } });
  startTask();
  await eventually(async () => expect(await count(endpointId, 'failed')).toBe(2));
  expect(sent).toEqual([]);
});

test('an endpoint that answers while the process stops is no longer failing', async () => {
  const endpointId = await insertEndpoint(prisma, tenant.projectId, { url: never, failingSince: new Date() });
  await store(storableEvent(tenant.environmentId));
  startTask();
  await eventually(async () => expect(sent).toHaveLength(1));
  const stopped = stopTasks();
  answerAll();
  await stopped;
  expect(await count(endpointId, 'delivered')).toBe(1);
  expect(await prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: endpointId } })).toMatchObject({
    failingSince: null,
  });
});
