import { randomUUID } from 'node:crypto';
import { AddressGuard, parseAllowList } from '@multi-drm/service-kit';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { EventOutbox } from '../events/event-outbox';
import { createEventPool } from '../events/event-pool';
import { type EventRow, insertEvents } from '../events/event-rows';
import type { PrismaClient } from '../generated/prisma/client';
import { eventually } from '../testing/eventually';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import {
  insertEndpoint,
  storableEvent,
  WebhookReceiver,
  webhookSecret,
  webhookSecretKeys,
} from '../testing/webhook-endpoints';
import { signatureHeaders } from './signature';
import { WebhookSender } from './webhook-sender';
import { WebhookTask } from './webhook-task';

let prisma: PrismaClient;
let connectionString: string;
let pool: BoundedPool;
let tenant: InsertedTenant;
let receiver: WebhookReceiver;
let endpointId: string;
let log: LogEntry[];
let counted: Record<string, number>;
const tasks: WebhookTask[] = [];
const sender = new WebhookSender({
  guard: new AddressGuard(parseAllowList('127.0.0.1').allowed),
  now: Date.now,
  monotonicNow: () => performance.now(),
});

beforeAll(async () => {
  ({ prisma, url: connectionString } = await openDatabase());
  pool = createEventPool(connectionString, recordingLogger([]));
});
beforeEach(async () => {
  log = [];
  counted = {};
  tenant = await insertTenant(prisma);
  receiver = await WebhookReceiver.start();
  endpointId = await insertEndpoint(prisma, tenant.projectId, { url: receiver.url });
});
afterEach(async () => {
  await stopTasks();
  await receiver.stop();
  await prisma.webhookEndpoint.updateMany({ data: { enabled: false } });
});
afterAll(async () => {
  sender.close();
  await pool.end();
});

function startTask(retrySeconds = [3_600]): void {
  const task = new WebhookTask({
    connectionString,
    database: prisma,
    sender,
    secretKeys: webhookSecretKeys,
    retrySeconds,
    logger: recordingLogger(log),
    count: (outcome, count) => {
      counted[outcome] = (counted[outcome] ?? 0) + count;
    },
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
const delivery = async (id = endpointId) => prisma.webhookDelivery.findFirstOrThrow({ where: { endpointId: id } });
const endpoint = async (id = endpointId) => prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
const untilStatus = (status: string, id = endpointId) =>
  eventually(async () => expect(await delivery(id)).toMatchObject({ status }));

test('an event is sent as the API shows it, signed, with its id and the endpoint’s headers', async () => {
  const event = storableEvent(tenant.environmentId);
  await store(event);
  startTask();
  await untilStatus('delivered');
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.messages;
  expect(JSON.parse(body)).toEqual({
    id: event.id,
    type: 'session.started',
    timestamp: new Date(Math.floor(event.time / 1000)).toISOString(),
    ...tenant,
    data: {
      subject: event.subject,
      sessionId: event.sessionId,
      reservationId: event.reservationId,
      contentId: event.contentId,
      ...event.data,
    },
  });
  const timestamp = Number(headers['webhook-timestamp']);
  expect(headers).toMatchObject({
    'x-tenant': 'academy',
    ...signatureHeaders({ id: event.id, timestamp, body: Buffer.from(body) }, [webhookSecret]),
  });
  expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60);
  expect(await delivery()).toMatchObject({
    attempts: 1,
    nextAttemptAt: null,
    lastAttemptAt: expect.any(Date),
    lastStatus: 200,
    lastError: null,
    lastAnswer: null,
  });
  expect(receiver.messages).toHaveLength(1);
  expect(counted).toEqual({ delivered: 1 });
});

test('events of the organization name neither a project nor an environment', async () => {
  await store(storableEvent(tenant.organizationId, { type: 'organization.suspended' }));
  startTask();
  await untilStatus('delivered');
  const { organizationId } = tenant;
  expect(JSON.parse(receiver.messages[0]?.body ?? '')).toMatchObject({
    organizationId,
    projectId: null,
    environmentId: null,
  });
});

test('what is sent is what the database has then: of an erased viewer, nothing', async () => {
  const event = storableEvent(tenant.environmentId, { subject: 'erased-later' });
  await store(event);
  await prisma.event.updateMany({ where: { id: event.id }, data: { subject: 'random-id' } });
  startTask();
  await untilStatus('delivered');
  expect(receiver.messages[0]?.body).toContain('random-id');
  expect(receiver.messages[0]?.body).not.toContain('erased-later');
});

test.each([
  ['until it expires', 60_000, 2],
  ['not after that', -1, 1],
])('the secret before a rotation signs events, too, %s', async (_when, milliseconds, signatures) => {
  const { secret } = await endpoint();
  const previousSecretExpiresAt = new Date(Date.now() + milliseconds);
  await prisma.webhookEndpoint.update({
    where: { id: endpointId },
    data: { previousSecret: secret, previousSecretExpiresAt },
  });
  await store(storableEvent(tenant.environmentId));
  startTask();
  await untilStatus('delivered');
  expect(String(receiver.messages[0]?.headers['webhook-signature']).split(' ')).toHaveLength(signatures);
});

test('a failed attempt is repeated after its pause, and its answer is kept', async () => {
  receiver.answer = (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('no, academy!');
  await store(storableEvent(tenant.environmentId));
  startTask([3_600]);
  await eventually(async () => expect(await delivery()).toMatchObject({ attempts: 1 }));
  const { nextAttemptAt, lastAttemptAt, ...rest } = await delivery();
  expect(rest).toMatchObject({ status: 'pending', lastStatus: 500, lastError: null, lastAnswer: 'no, ***!' });
  const pause = Number(nextAttemptAt) - Number(lastAttemptAt);
  expect(pause).toBeGreaterThanOrEqual(3_599_000);
  expect(pause).toBeLessThanOrEqual(3_961_000);
  await eventually(async () => expect((await endpoint()).failingSince).toEqual(expect.any(Date)));
  receiver.answer = (response) => response.end();
  await prisma.webhookDelivery.updateMany({ where: { endpointId }, data: { nextAttemptAt: new Date() } });
  await untilStatus('delivered');
  await eventually(async () => expect((await endpoint()).failingSince).toBeNull());
  expect(receiver.ids).toHaveLength(2);
  expect(new Set(receiver.ids).size).toBe(1);
  expect(counted).toEqual({ retried: 1, delivered: 1 });
});

test('after the last pause, a delivery has failed', async () => {
  receiver.answer = (response) => response.writeHead(400).end();
  await store(storableEvent(tenant.environmentId));
  startTask([]);
  await untilStatus('failed');
  expect(await delivery()).toMatchObject({ attempts: 1, nextAttemptAt: null, lastStatus: 400 });
});

test('an endpoint that answers 410 is disabled at once, with an audit event and an event for the other endpoints', async () => {
  const other = await WebhookReceiver.start();
  receiver.answer = (response) => response.writeHead(410).end();
  await store(...Array.from({ length: 20 }, () => storableEvent(tenant.environmentId)));
  const sibling = await prisma.project.create({ data: { organizationId: tenant.organizationId, name: 'Sibling' } });
  await insertEndpoint(prisma, sibling.id, { url: other.url });
  startTask();
  await eventually(async () =>
    expect(await endpoint()).toMatchObject({ enabled: false, disabledReason: 'gone', version: 2 }),
  );
  expect(receiver.messages).toHaveLength(1);
  const { organizationId } = tenant;
  expect(await prisma.auditEvent.findMany({ where: { organizationId } })).toMatchObject([
    {
      actorKind: 'system',
      action: 'webhookEndpoint.disable',
      recordType: 'webhookEndpoint',
      recordId: endpointId,
      details: { reason: 'gone' },
    },
  ]);
  await new EventOutbox(pool).move();
  await eventually(async () => expect(other.messages).toHaveLength(1));
  expect(JSON.parse(other.messages[0]?.body ?? '')).toMatchObject({
    type: 'webhook_endpoint.disabled',
    organizationId,
    projectId: null,
    data: { recordId: endpointId, reason: 'gone' },
  });
  await other.stop();
});

test.each([
  [4, true],
  [5, false],
])('after %s days without a success, an endpoint that fails is still enabled: %s', async (days, enabled) => {
  const failingSince = new Date(Date.now() - days * 86_400_000 - 1_000);
  await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { failingSince } });
  receiver.answer = (response) => response.writeHead(500).end();
  await store(storableEvent(tenant.environmentId));
  startTask();
  await eventually(async () => expect(await delivery()).toMatchObject({ attempts: 1 }));
  if (enabled) await stopTasks();
  else await eventually(async () => expect(await endpoint()).toMatchObject({ disabledReason: 'failing' }));
  expect(await endpoint()).toMatchObject({ enabled, failingSince });
});

test('an endpoint whose lease another process holds is left to it until the lease expires', async () => {
  await prisma.webhookEndpoint.update({
    where: { id: endpointId },
    data: { leaseOwner: randomUUID(), leasedUntil: new Date(Date.now() + 60_000) },
  });
  const other = await insertEndpoint(prisma, tenant.projectId, { url: receiver.url });
  await store(storableEvent(tenant.environmentId));
  startTask();
  await untilStatus('delivered', other);
  expect(await delivery()).toMatchObject({ status: 'pending', attempts: 0 });
  await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { leasedUntil: new Date(Date.now() - 1) } });
  await untilStatus('delivered');
});

test('of several processes, one sends to an endpoint, and leaves it to others when it stops', async () => {
  for (let count = 0; count < 3; count += 1) startTask();
  await store(...Array.from({ length: 300 }, () => storableEvent(tenant.environmentId)));
  const pending = () => prisma.webhookDelivery.count({ where: { endpointId, status: 'pending' } });
  await eventually(async () => expect(await pending()).toBe(0));
  expect(receiver.messages).toHaveLength(300);
  const { leaseOwner, leasedUntil } = await endpoint();
  expect(leaseOwner).not.toBeNull();
  expect(Number(leasedUntil)).toBeGreaterThan(Date.now());
  await stopTasks();
  expect(await endpoint()).toMatchObject({ leaseOwner: null, leasedUntil: null });
});

test('what is under way when a process stops is finished, and the rest is left to others', async () => {
  receiver.answer = (response) => setImmediate(() => response.end());
  startTask();
  const events = Array.from({ length: 100 }, () => storableEvent(tenant.environmentId));
  await store(...events);
  await eventually(async () => expect(receiver.messages.length).toBeGreaterThan(10));
  await stopTasks();
  const sent = receiver.messages.length;
  expect(await prisma.webhookDelivery.count({ where: { endpointId, status: 'delivered' } })).toBe(sent);
  startTask();
  await eventually(async () => expect(receiver.messages).toHaveLength(100));
  expect(new Set(receiver.ids)).toEqual(new Set(events.map(({ id }) => id)));
});

test('a message that cannot be sent for a reason of ours is a failed attempt, and is logged without secrets', async () => {
  await prisma.webhookEndpoint.update({
    where: { id: endpointId },
    data: { secret: 'v1.other.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AA' },
  });
  await store(storableEvent(tenant.environmentId));
  startTask();
  await eventually(async () =>
    expect(await delivery()).toMatchObject({ attempts: 1, status: 'pending', lastError: 'not_sendable' }),
  );
  expect(receiver.messages).toEqual([]);
  expect(log).toMatchObject([{ level: 'error', fields: { webhookEndpointId: endpointId } }]);
});
