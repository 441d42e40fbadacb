import { randomUUID } from 'node:crypto';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';
import { startSession, storeSession } from '../../testing/sessions';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
let viewer: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  viewer = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
});

const url = (path = '') => `/api/v1/management/environments/${tenant.development}/sessions${path}`;
const list = (query: object = {}) => controlPlane.api.get(url()).query(query).set(bearer(viewer));
const get = (sessionId: string, query: object = {}) =>
  controlPlane.api
    .get(url(`/${sessionId}`))
    .query(query)
    .set(bearer(viewer));
const store = (session: Parameters<typeof storeSession>[2]) =>
  storeSession(controlPlane.prisma, tenant.development, session);
const idsIn = ({ body }: { body: { items: { sessionId: string }[] } }) => body.items.map(({ sessionId }) => sessionId);
const minute = (minute: number) => new Date(Date.UTC(2026, 2, 1, 9, minute));

/** A session that is active at playback, and stored as open. */
async function active(subject = 'viewer-17'): Promise<{ sessionId: string; expiresAt: string }> {
  const sessionId = randomUUID();
  const { reservationId, startedAt, expiresAt } = await startSession(controlPlane, tenant.development, {
    subject,
    sessionId,
  });
  await store({ sessionId, reservationId, subject, startedAt, endedAt: null });
  return { sessionId, expiresAt: expiresAt.toISOString() };
}

test('sessions are listed from the newest start on, page by page, each once', async () => {
  const ids: string[] = [];
  for (const at of [1, 2, 2, 3]) ids.unshift(await store({ startedAt: minute(at) }));
  const first = await list({ limit: 2 }).expect(200);
  const second = await list({ limit: 2, cursor: first.body.nextCursor }).expect(200);
  expect([...idsIn(first), ...idsIn(second)].sort()).toEqual([...ids].sort());
  expect(idsIn(first)[0]).toBe(ids[0]);
  expect(idsIn(second)[1]).toBe(ids[3]);
  expect(second.body.nextCursor).toBeNull();
});

test('a list can be filtered by session, subject, content, status and start', async () => {
  const ended = await store({ startedAt: minute(1), subject: 'a', contentId: 'film' });
  const later = await store({ startedAt: minute(5), subject: 'b' });
  const { sessionId: playing } = await active('a');
  expect(idsIn(await list({ sessionId: ended }).expect(200))).toEqual([ended]);
  expect(idsIn(await list({ subject: 'a' }).expect(200))).toEqual([playing, ended]);
  expect(idsIn(await list({ contentId: 'film' }).expect(200))).toEqual([ended]);
  expect(idsIn(await list({ status: 'active' }).expect(200))).toEqual([playing]);
  expect(idsIn(await list({ status: 'ended', subject: 'a' }).expect(200))).toEqual([ended]);
  expect(idsIn(await list({ from: minute(2).toISOString(), to: minute(6).toISOString() }).expect(200))).toEqual([
    later,
  ]);
});

test('an active session shows what playback knows now', async () => {
  const { sessionId, expiresAt } = await active();
  const { body } = await get(sessionId).expect(200);
  expect(body).toMatchObject({ status: 'active', expiresAt, licenseRequests: 0, endedAt: null, endReason: null });
});

test('a session that holds no slot has ended, even before its end is stored, and is in no list of active ones', async () => {
  const sessionId = await store({ endedAt: null });
  expect((await get(sessionId).expect(200)).body).toMatchObject({ status: 'ended', endedAt: null, endReason: null });
  expect(idsIn(await list({ status: 'active' }).expect(200))).toEqual([]);
});

test('a later session with the id of an earlier one does not make that one active', async () => {
  const { sessionId } = await active();
  await store({ sessionId, endedAt: null });
  const { body } = await list({ sessionId }).expect(200);
  expect(body.items.map(({ status }: { status: string }) => status)).toEqual(['active', 'ended']);
});

test('a session that has ended shows how', async () => {
  const sessionId = await store({});
  expect((await get(sessionId).expect(200)).body).toMatchObject({
    status: 'ended',
    endedAt: '2026-03-01T09:30:00.000Z',
    endReason: 'released',
    licenseRequests: 1,
  });
});

test('of two sessions of a subject with the same id, the newest is read; of two subjects, one must be named', async () => {
  const sessionId = await store({ startedAt: minute(1) });
  await store({ sessionId, startedAt: minute(2) });
  expect((await get(sessionId).expect(200)).body.startedAt).toBe(minute(2).toISOString());
  await store({ sessionId, startedAt: minute(3), subject: 'another' });
  expect((await get(sessionId).expect(409)).body.code).toBe('conflict');
  expect((await get(sessionId, { subject: 'viewer-17' }).expect(200)).body.subject).toBe('viewer-17');
});

test('a session of another environment is not found', async () => {
  const sessionId = await storeSession(controlPlane.prisma, tenant.production);
  expect((await get(sessionId).expect(404)).body.detail).toBe('There is no such session.');
  expect(idsIn(await list().expect(200))).toEqual([]);
});

test.each([
  ['to', { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' }],
  ['cursor', { cursor: 'c2Vzc2lvbnM' }],
  ['status', { status: 'lost' }],
  ['sessionId', { sessionId: 'short' }],
])('a list with an invalid %s is rejected by name', async (field, query) => {
  expect(Object.keys((await list(query).expect(400)).body.errors)).toEqual([field]);
});

test('the cursor of another environment is rejected', async () => {
  for (const at of [1, 2]) await store({ startedAt: minute(at) });
  const { body } = await list({ limit: 1 }).expect(200);
  const other = `/api/v1/management/environments/${tenant.production}/sessions`;
  await controlPlane.api.get(other).query({ cursor: body.nextCursor }).set(bearer(viewer)).expect(400);
});
