import { randomUUID } from 'node:crypto';
import { auditedActions, auditTrailOf } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const users = (projectId = tenant.projectId) => `/api/v1/management/projects/${projectId}/users`;
const synchronize = (body: object, headers: Record<string, string> = {}) =>
  controlPlane.api.post(users()).set(bearer(tenant.key)).set(headers).send(body);
const erase = (userId: string) =>
  controlPlane.api.delete(`/api/v1/management/users/${userId}`).set(bearer(tenant.key)).expect(204);
const later = (milliseconds: number) => {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + milliseconds);
};

test('a new subject creates an active user with only the subject', async () => {
  const subject = randomUUID();
  const now = controlPlane.clock.now.toISOString();
  const response = await synchronize({ subject }).expect(200);
  expect(response.body).toEqual({
    userId: expect.any(String),
    projectId: tenant.projectId,
    subject,
    displayName: null,
    email: null,
    status: 'active',
    maximumConcurrentStreams: null,
    attributes: {},
    createdAt: now,
    synchronizedAt: now,
  });
  expect(response.headers.etag).toBe('"1"');
});

test('the same subject again updates sent fields and keeps the rest', async () => {
  const subject = randomUUID();
  const sent = {
    displayName: 'Ada',
    email: 'ada@example.com',
    maximumConcurrentStreams: 2,
    attributes: { a: 1, b: 2 },
  };
  const first = await synchronize({ subject, ...sent }).expect(200);
  later(1_000);
  const second = await synchronize({ subject, status: 'blocked', attributes: { c: 'x' } }).expect(200);
  expect(second.body).toEqual({
    ...first.body,
    status: 'blocked',
    attributes: { c: 'x' },
    synchronizedAt: controlPlane.clock.now.toISOString(),
  });
  expect(second.headers.etag).toBe('"2"');
  const third = await synchronize({ subject, maximumConcurrentStreams: null }).expect(200);
  expect(third.body).toEqual({ ...second.body, maximumConcurrentStreams: null });
});

test('null clears name, e-mail and limit, and keeps everything else', async () => {
  const subject = randomUUID();
  const kept = { status: 'blocked', attributes: { a: 1 } };
  const sent = { displayName: 'Ada', email: 'ada@example.com', maximumConcurrentStreams: 2, ...kept };
  await synchronize({ subject, ...sent }).expect(200);
  const nothing = { displayName: null, email: null, maximumConcurrentStreams: null };
  const { body } = await synchronize({ subject, ...nothing, status: null, attributes: null }).expect(200);
  expect(body).toMatchObject({ ...nothing, ...kept });
  expect(await auditTrailOf(controlPlane, body.userId)).toMatchObject([
    { action: 'endUser.create' },
    { action: 'endUser.update', details: { fields: Object.keys(nothing) } },
  ]);
});

test('null in a new user is like absence', async () => {
  const subject = randomUUID();
  const fields = { displayName: null, email: null, status: null, maximumConcurrentStreams: null, attributes: null };
  const { body } = await synchronize({ subject, ...fields }).expect(200);
  expect(body).toMatchObject({ ...fields, status: 'active', attributes: {} });
});

test.each(['josé@example.com', 'пошта@пошта.укр'])('the address %s is kept as given', async (email) => {
  const { body } = await synchronize({ subject: randomUUID(), email }).expect(200);
  expect(body.email).toBe(email);
});

test('each synchronization adds an outbox entry, wakes the publisher and is audited without personal data', async () => {
  const subject = randomUUID();
  const wakes = controlPlane.wakes();
  const { body } = await synchronize({ subject, email: 'ada@example.com' }).expect(200);
  await synchronize({ subject, displayName: 'Ada', status: 'blocked' }).expect(200);
  expect(controlPlane.wakes()).toBe(wakes + 2);
  expect(await controlPlane.prisma.outboxEntry.findMany({ where: { documentId: body.userId } })).toMatchObject([
    { documentKind: 'endUser' },
    { documentKind: 'endUser' },
  ]);
  const trail = await auditTrailOf(controlPlane, body.userId);
  expect(trail).toMatchObject([
    { action: 'endUser.create', details: {}, organizationId: tenant.organizationId, recordType: 'endUser' },
    { action: 'endUser.update', details: { fields: ['displayName', 'status'] } },
  ]);
  expect(JSON.stringify(trail)).not.toMatch(new RegExp(`${subject}|ada@example.com`));
});

test('50 equal concurrent synchronizations create one user', async () => {
  const subject = randomUUID();
  const answers = await Promise.all(Array.from({ length: 50 }, () => synchronize({ subject, displayName: 'Ada' })));
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(new Set(answers.map(({ body }) => body.userId)).size).toBe(1);
  expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(50);
  expect(await controlPlane.prisma.endUser.count({ where: { subject } })).toBe(1);
  const actions = await auditedActions(controlPlane, answers[0]?.body.userId);
  expect(actions.filter((action) => action === 'endUser.create')).toHaveLength(1);
});

test('the same Idempotency-Key synchronizes once', async () => {
  const body = { subject: randomUUID(), displayName: 'Ada' };
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await synchronize(body, headers).expect(200);
  const second = await synchronize(body, headers).expect(200);
  expect(second.body).toEqual(first.body);
  expect(second.headers.etag).toBe('"1"');
  const third = await synchronize({ ...body, status: null, attributes: null }, headers).expect(200);
  expect(third.body).toEqual(first.body);
  const other = await synchronize({ ...body, displayName: 'Eve' }, headers).expect(422);
  expect(other.body.code).toBe('idempotency_key_reused');
});

test('the subject of an erased user creates a new user', async () => {
  const subject = randomUUID();
  const first = await synchronize({ subject, displayName: 'Ada' }).expect(200);
  await erase(first.body.userId);
  const second = await synchronize({ subject }).expect(200);
  expect(second.body.userId).not.toBe(first.body.userId);
  expect(second.body).toMatchObject({ subject, displayName: null, status: 'active' });
});

test('two projects can have users with the same subject', async () => {
  const other = await createTenant(controlPlane);
  const subject = randomUUID();
  const ours = await synchronize({ subject }).expect(200);
  const theirs = await controlPlane.api
    .post(users(other.projectId))
    .set(bearer(other.key))
    .send({ subject })
    .expect(200);
  expect(theirs.body.userId).not.toBe(ours.body.userId);
});

/** Attributes whose JSON has exactly this many bytes, mostly in two-byte characters. */
function attributesOf(bytes: number): object {
  const attributes: Record<string, string> = { a: 'é'.repeat(900), b: 'é'.repeat(900), c: '' };
  attributes.c = 'x'.repeat(bytes - Buffer.byteLength(JSON.stringify(attributes), 'utf8'));
  return attributes;
}

test('attributes of 4 KiB of JSON are accepted, and one byte more is rejected by name', async () => {
  const subject = randomUUID();
  await synchronize({ subject, attributes: attributesOf(4 * 1024) }).expect(200);
  const { body } = await synchronize({ subject, displayName: 'Ada', attributes: attributesOf(4 * 1024 + 1) }).expect(
    400,
  );
  expect(body.errors).toEqual({ attributes: ['must be at most 4096 bytes of JSON'] });
  expect(await controlPlane.prisma.endUser.findFirst({ where: { subject } })).toMatchObject({ displayName: null });
});

test.each<[string, object]>([
  ['subject', { subject: '' }],
  ['subject', { subject: 'x'.repeat(257) }],
  ['subject', { subject: 'a\u0000b' }],
  ['subject', { subject: 7 }],
  ['subject', { subject: null }],
  ['displayName', { displayName: '' }],
  ['displayName', { displayName: 'x'.repeat(201) }],
  ['email', { email: 'ada' }],
  ['status', { status: 'archived' }],
  ['maximumConcurrentStreams', { maximumConcurrentStreams: 0 }],
  ['maximumConcurrentStreams', { maximumConcurrentStreams: 1001 }],
  ['maximumConcurrentStreams', { maximumConcurrentStreams: '2' }],
  ['attributes', { attributes: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, true])) }],
  ['attributes', { attributes: { 'a\u0000b': 'x' } }],
  ['attributes.a', { attributes: { a: { b: 1 } } }],
  ['attributes.a', { attributes: { a: '\ud800' } }],
  ['userId', { userId: randomUUID() }],
])('an invalid %s is rejected by name', async (field, changes) => {
  const { body } = await synchronize({ subject: randomUUID(), ...changes }).expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});

test('a number that overflows is rejected by name', async () => {
  const { body } = await controlPlane.api
    .post(users())
    .set(bearer(tenant.key))
    .type('application/json')
    .send(`{"subject":"${randomUUID()}","attributes":{"a":1e400}}`)
    .expect(400);
  expect(Object.keys(body.errors)).toEqual(['attributes.a']);
});

test('all validation errors are reported together', async () => {
  const { body } = await synchronize({ displayName: '', email: 'x', status: 'gone', plan: 1 }).expect(400);
  expect(Object.keys(body.errors).sort()).toEqual(['displayName', 'email', 'plan', 'status', 'subject']);
});
