import { randomUUID } from 'node:crypto';
import { EventOutbox } from '../events/event-outbox';
import { createEventPool } from '../events/event-pool';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { recordingLogger } from '../testing/recording-logger';
import { bearer, createContent, createTenant, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  await controlPlane.prisma.eventOutboxEntry.deleteMany();
});

/** Sends a call to the management API and returns the answer's body. */
async function call(method: 'post' | 'put' | 'patch' | 'delete', path: string, body?: object, key = tenant.key) {
  const request = controlPlane.api[method](`/api/v1/management/${path}`).set(bearer(key)).set('If-Match', '*');
  const answer = await (body === undefined ? request : request.send(body));
  expect([200, 204]).toContain(answer.status);
  return answer.body;
}

/** The events of changes that were not moved yet, oldest first. */
const outbox = () =>
  controlPlane.prisma.eventOutboxEntry.findMany({
    orderBy: { time: 'asc' },
    select: { type: true, scopeId: true, subject: true, contentId: true, data: true },
  });

const none = { subject: null, contentId: null };

test('publishing and archiving a content are events of its environment', async () => {
  const contentId = `lesson-${randomUUID()}`;
  const recordId = await createContent(controlPlane, tenant, { contentId });
  await call('post', `content/${recordId}/publish`);
  await call('patch', `content/${recordId}`, { title: 'Another title' });
  await call('delete', `content/${recordId}`);
  const data = { recordType: 'contentAsset', recordId, changedFields: ['status'] };
  const event = { scopeId: tenant.development, subject: null, contentId, data };
  expect(await outbox()).toEqual([
    { type: 'content.published', ...event },
    { type: 'content.archived', ...event },
  ]);
});

test('blocking and unblocking a viewer are events of the project, which name the subject and nothing else personal', async () => {
  const users = `projects/${tenant.projectId}/users`;
  const subject = `lms:${randomUUID()}`;
  const { userId } = await call('post', users, { subject, displayName: 'Zoë', status: 'blocked' });
  await call('post', users, { subject, email: 'zoe@example.com' });
  await call('patch', `users/${userId}`, { status: 'active' });
  await call('patch', `users/${userId}`, { status: 'blocked', displayName: 'Zoe' });
  const event = (type: string, changedFields: string[]) => ({
    type,
    scopeId: tenant.projectId,
    subject,
    contentId: null,
    data: { recordType: 'endUser', recordId: userId, changedFields },
  });
  expect(await outbox()).toEqual([
    event('end_user.blocked', ['status', 'maximumConcurrentStreams']),
    event('end_user.unblocked', ['status']),
    event('end_user.blocked', ['status']),
  ]);
});

test('a change of a DRM system is an event of the environment, without its settings', async () => {
  const { url, apiKey } = { url: 'https://license.example.com/', apiKey: 'hidden-from-all' };
  const backend = { type: 'http', url, responseFormat: 'raw', secretHeaders: { 'X-Api-Key': apiKey } };
  await call('put', `environments/${tenant.production}/drm-systems/widevine`, { enabled: true, backend });
  const recordId = `${tenant.production}/widevine`;
  const changedFields = ['enabled', 'backend'];
  expect(await outbox()).toEqual([
    {
      type: 'drm_system.changed',
      scopeId: tenant.production,
      ...none,
      data: { recordType: 'drmSystem', recordId, changedFields },
    },
  ]);
});

test('rotations are events, of an API client for the project and of a management key for the organization', async () => {
  const client = await call('post', `projects/${tenant.projectId}/api-clients`, {
    name: 'Backend',
    permissions: ['sessions:read'],
  });
  await call('post', `api-clients/${client.apiClientId}/rotate`);
  const { keyId } = await call('post', `organizations/${tenant.organizationId}/management-keys`, {
    name: 'CI',
    role: 'admin',
  });
  await call('post', `management-keys/${keyId}/rotate`, { overlapSeconds: 60 });
  expect(await outbox()).toMatchObject([
    { type: 'api_client.rotated', scopeId: tenant.projectId, ...none, data: { recordId: client.apiClientId } },
    { type: 'management_key.rotated', scopeId: tenant.organizationId, ...none, data: { recordId: keyId } },
  ]);
});

test('a suspension is an event of the organization, another change of it is none', async () => {
  const path = `organizations/${tenant.organizationId}`;
  await call('patch', path, { status: 'suspended' }, operatorKey);
  await call('patch', path, { planId: 'enterprise' }, operatorKey);
  expect(await outbox()).toMatchObject([
    { type: 'organization.suspended', scopeId: tenant.organizationId, data: { changedFields: ['status'] } },
  ]);
});

test('events of changes are moved to the others, once, with the time of the change', async () => {
  const { prisma, databaseUrl } = controlPlane;
  const pool = createEventPool(databaseUrl, recordingLogger([]));
  const recordId = await createContent(controlPlane, tenant);
  await call('post', `content/${recordId}/publish`);
  const [entry] = await prisma.eventOutboxEntry.findMany();
  const movers = [new EventOutbox(pool), new EventOutbox(pool)];
  const moved = await Promise.all(movers.map((mover) => mover.move()));
  expect(moved.sort()).toEqual([0, 1]);
  expect(await outbox()).toEqual([]);
  const [event, ...more] = await prisma.event.findMany({ where: { scopeId: tenant.development } });
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    type: 'content.published',
    time: entry?.time,
    data: entry?.data,
    contentId: entry?.contentId,
  });
  await pool.end();
});

test('an event whose day has no partition fails no change, and waits for the partition', async () => {
  const { prisma, databaseUrl } = controlPlane;
  const pool = createEventPool(databaseUrl, recordingLogger([]));
  const recordId = await createContent(controlPlane, tenant);
  await call('post', `content/${recordId}/publish`);
  await prisma.$executeRaw`UPDATE event_outbox SET time = time + interval '30 days'`;
  await call('delete', `content/${recordId}`);
  expect(await new EventOutbox(pool).move()).toBe(1);
  expect(await outbox()).toMatchObject([{ type: 'content.published' }]);
  await pool.end();
});

test('events whose day gets no partition any more keep no other from being moved, and become a gap', async () => {
  const { prisma, databaseUrl } = controlPlane;
  const pool = createEventPool(databaseUrl, recordingLogger([]));
  await prisma.$executeRaw`INSERT INTO event_outbox (id, type, scope_id, time, data)
    SELECT gen_random_uuid(), 'content.published', ${tenant.development}::uuid, now() - interval '10 days', '{}'
    FROM generate_series(1, 1001)`;
  const recordId = await createContent(controlPlane, tenant);
  await call('post', `content/${recordId}/publish`);
  const outboxes = new EventOutbox(pool);
  expect([await outboxes.move(), await prisma.eventOutboxEntry.count()]).toEqual([1, 1_001]);
  expect([await outboxes.dropOld(), await prisma.eventOutboxEntry.count(), await outboxes.dropOld()]).toEqual([
    1_001, 0, 0,
  ]);
  expect(await prisma.eventGap.findMany()).toMatchObject([{ list: 'event_outbox', count: 1_001n }]);
  await pool.end();
});
