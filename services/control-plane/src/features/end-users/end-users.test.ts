import { randomUUID } from 'node:crypto';
import { auditedActions } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { eventually } from '../../testing/eventually';
import { bearer, createTenant, type TestTenant } from '../../testing/records';
import { waitsForLocks } from '../../testing/waits-for-locks';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const users = () => `/api/v1/management/projects/${tenant.projectId}/users`;
const userUrl = (userId: string) => `/api/v1/management/users/${userId}`;
const list = (query: object = {}) => controlPlane.api.get(users()).query(query).set(bearer(tenant.key));
const get = (userId: string) => controlPlane.api.get(userUrl(userId)).set(bearer(tenant.key));
const erase = (userId: string) => controlPlane.api.delete(userUrl(userId)).set(bearer(tenant.key));
const update = (userId: string, ifMatch: string | undefined, body: object) =>
  controlPlane.api
    .patch(userUrl(userId))
    .set(bearer(tenant.key))
    .set(ifMatch === undefined ? {} : { 'If-Match': ifMatch })
    .send(body);

/** Synchronizes a user, one millisecond later than the previous one. */
async function synchronize(body: object): Promise<string> {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1);
  const { body: user } = await controlPlane.api.post(users()).set(bearer(tenant.key)).send(body).expect(200);
  return user.userId;
}

const idsIn = ({ body }: { body: { items: { userId: string }[] } }) => body.items.map(({ userId }) => userId);

test('users are listed oldest first, page by page', async () => {
  const ids: string[] = [];
  for (const subject of ['c', 'a', 'b']) ids.push(await synchronize({ subject }));
  const first = await list({ limit: 2 }).expect(200);
  expect(first.body).toMatchObject({ total: 3, limit: 2, offset: 0 });
  expect(idsIn(first)).toEqual(ids.slice(0, 2));
  const second = await list({ limit: '2', offset: '2' }).expect(200);
  expect(idsIn(second)).toEqual(ids.slice(2));
  expect((await list({ offset: 3 }).expect(200)).body).toMatchObject({ items: [], total: 3 });
});

test('a list can be filtered by subject and status', async () => {
  const active = await synchronize({ subject: 'student 1' });
  const blocked = await synchronize({ subject: 'Student 1', status: 'blocked' });
  expect(idsIn(await list({ subject: 'student 1' }).expect(200))).toEqual([active]);
  expect((await list({ status: 'blocked' }).expect(200)).body).toMatchObject({
    items: [{ userId: blocked }],
    total: 1,
  });
  expect(idsIn(await list({ status: 'active', subject: 'Student 1' }).expect(200))).toEqual([]);
});

test.each([
  ['status', { status: 'archived' }],
  ['subject', { subject: '' }],
  ['subject', { subject: ['a', 'b'] }],
  ['limit', { limit: '01' }],
  ['offset', { offset: '-1' }],
  ['email', { email: 'ada@example.com' }],
])('a list with an invalid %s is rejected by name', async (field, query) => {
  const { body } = await list(query).expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});

test('a user is read with its ETag', async () => {
  const userId = await synchronize({ subject: 'a', attributes: { semester: 3, remote: true } });
  const response = await get(userId).expect(200);
  expect(response.body).toMatchObject({ userId, subject: 'a', attributes: { semester: 3, remote: true } });
  expect(response.headers.etag).toBe('"1"');
});

test('a change keeps absent fields, clears null ones, adds an outbox entry, and is audited and published', async () => {
  const userId = await synchronize({ subject: 'a', displayName: 'Ada', email: 'ada@example.com' });
  const before = (await get(userId)).body;
  const wakes = controlPlane.wakes();
  const response = await update(userId, '"1"', { email: null, status: 'blocked' }).expect(200);
  expect(response.body).toEqual({ ...before, email: null, status: 'blocked' });
  expect(response.headers.etag).toBe('"2"');
  expect((await get(userId)).body).toEqual(response.body);
  expect(controlPlane.wakes()).toBe(wakes + 1);
  expect(await controlPlane.prisma.outboxEntry.count({ where: { documentId: userId } })).toBe(2);
  expect(await auditedActions(controlPlane, userId)).toEqual(['endUser.create', 'endUser.update']);
});

test('a change requires the ETag of the current version', async () => {
  const userId = await synchronize({ subject: 'a' });
  expect((await update(userId, undefined, { displayName: 'Ada' }).expect(428)).body.code).toBe('precondition_required');
  await synchronize({ subject: 'a', displayName: 'Ada' });
  expect((await update(userId, '"1"', { displayName: 'Eve' }).expect(412)).body.code).toBe('precondition_failed');
  expect((await get(userId)).body.displayName).toBe('Ada');
  await update(userId, '*', { displayName: 'Eve' }).expect(200);
});

test('of two concurrent changes with the same ETag, one succeeds', async () => {
  const userId = await synchronize({ subject: 'a' });
  const answers = await Promise.all(['Ada', 'Eve'].map((displayName) => update(userId, '"1"', { displayName })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
});

test.each<[string, object]>([
  ['body', {}],
  ['subject', { subject: 'b' }],
  ['status', { status: 'archived' }],
  ['attributes', { attributes: { a: 'x'.repeat(1000), b: 'x'.repeat(1000), c: 'x'.repeat(1000), d: 'é'.repeat(600) } }],
])('a change with an invalid %s is rejected by name', async (field, body) => {
  const userId = await synchronize({ subject: 'a' });
  const response = await update(userId, '*', body).expect(400);
  expect(Object.keys(response.body.errors)).toEqual([field]);
  expect((await get(userId)).headers.etag).toBe('"1"');
});

describe('an erased user', () => {
  const personal = { displayName: 'Ada', email: 'ada@example.com', attributes: { born: '1815' } };

  test('keeps its id and no personal data', async () => {
    const subject = randomUUID();
    const userId = await synchronize({ subject, ...personal });
    await erase(userId).expect(204);
    const { body, headers } = await get(userId).expect(200);
    expect(body).toMatchObject({
      userId,
      subject: null,
      displayName: null,
      email: null,
      attributes: {},
      status: 'archived',
    });
    expect(headers.etag).toBe('"2"');
    const stored = await controlPlane.prisma.endUser.findUniqueOrThrow({ where: { id: userId } });
    expect(JSON.stringify(stored)).not.toMatch(new RegExp(`${subject}|Ada|ada@|1815`));
  });

  test('is removed from lists and adds an outbox entry, so that playback forgets it', async () => {
    const userId = await synchronize({ subject: 'a' });
    const wakes = controlPlane.wakes();
    await erase(userId).expect(204);
    expect((await list().expect(200)).body).toMatchObject({ items: [], total: 0 });
    expect(controlPlane.wakes()).toBe(wakes + 1);
    expect(await controlPlane.prisma.outboxEntry.count({ where: { documentId: userId } })).toBe(2);
  });

  test('is erased once, even if that is requested repeatedly', async () => {
    const userId = await synchronize({ subject: 'a' });
    await Promise.all([1, 2, 3].map(() => erase(userId).expect(204)));
    await erase(userId).expect(204);
    expect(await auditedActions(controlPlane, userId)).toEqual(['endUser.create', 'endUser.erase']);
  });

  test('cannot be changed', async () => {
    const userId = await synchronize({ subject: 'a' });
    await erase(userId).expect(204);
    expect((await update(userId, '*', { displayName: 'Ada' }).expect(409)).body.code).toBe('conflict');
  });
});

test('a change that waits for a concurrent erasure leaves no personal data behind', async () => {
  const { prisma } = controlPlane;
  const userId = await synchronize({ subject: 'a' });
  const waiting = (count: number) => eventually(async () => expect(await waitsForLocks(prisma)).toBe(count));
  const answers = await prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT FROM end_user WHERE id = ${userId}::uuid FOR UPDATE`;
    const erasure = erase(userId).then(({ status }) => status);
    await waiting(1);
    const change = update(userId, '*', { displayName: 'Ada' }).then(({ status }) => status);
    await waiting(2);
    return { erasure, change };
  });
  expect(await answers.erasure).toBe(204);
  expect(await answers.change).toBe(409);
  expect((await get(userId)).body).toMatchObject({ displayName: null, status: 'archived' });
});
