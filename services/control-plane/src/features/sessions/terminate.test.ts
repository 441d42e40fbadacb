import { randomUUID } from 'node:crypto';
import { startNetworkLink } from '@multi-drm/test-kit';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';
import { slotsOf, startSession, storeSession } from '../../testing/sessions';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
let support: string;

/** What the reader of events stores when it is asked to. */
let readEvents = async () => undefined as unknown;

beforeAll(async () => {
  controlPlane = await startControlPlane({ readEvents: async () => void (await readEvents()) });
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  readEvents = async () => undefined;
  support = await createManagementKey(controlPlane, tenant.organizationId, { role: 'support' });
});

const url = (path: string) => `/api/v1/management/environments/${tenant.development}/sessions/${path}`;
const terminate = (sessionId: string, body?: object) =>
  controlPlane.api
    .post(url(`${sessionId}/terminate`))
    .set(bearer(support))
    .send(body);
const terminateAll = (subject: string) =>
  controlPlane.api.post(url('terminate')).set(bearer(support)).send({ subject });

/** Starts a session at playback; the reader of events has not stored it yet. */
async function start(subject = 'viewer-17', sessionId: string = randomUUID()): Promise<string> {
  await startSession(controlPlane, tenant.development, { subject, sessionId });
  return sessionId;
}

/** Starts a session that is also stored. */
async function play(subject = 'viewer-17', sessionId: string = randomUUID()): Promise<string> {
  const { startedAt, reservationId } = await startSession(controlPlane, tenant.development, { subject, sessionId });
  const session = { sessionId, subject, startedAt, reservationId, endedAt: null };
  return storeSession(controlPlane.prisma, tenant.development, session);
}

const auditedIds = async () => {
  const where = { organizationId: tenant.organizationId, action: 'session.terminate' };
  const events = await controlPlane.prisma.auditEvent.findMany({ where, orderBy: { id: 'asc' } });
  return events.map(({ recordId }) => recordId);
};

const activeOf = async (subject: string) => {
  const { api } = controlPlane;
  const { body } = await api.get(url('').slice(0, -1)).query({ subject, status: 'active' }).set(bearer(support));
  return body.items.map(({ sessionId }: { sessionId: string }) => sessionId);
};

test('an active session ends; ending it again does nothing, and only the first is audited, without the subject', async () => {
  const sessionId = await play();
  expect((await terminate(sessionId).expect(200)).body).toEqual({ sessionIds: [sessionId] });
  expect(await activeOf('viewer-17')).toEqual([]);
  expect((await terminate(sessionId).expect(200)).body).toEqual({ sessionIds: [] });
  expect(await auditedIds()).toEqual([sessionId]);
  const [event] = await controlPlane.prisma.auditEvent.findMany({ where: { recordId: sessionId } });
  expect(JSON.stringify(event)).not.toContain('viewer-17');
});

test('playback knows that the session was terminated', async () => {
  const sessionId = await play();
  await terminate(sessionId).expect(200);
  const { store } = await slotsOf(controlPlane);
  const session = { environmentId: tenant.development, subject: 'viewer-17', sessionId };
  expect((await store.find(session)).state).toBe('terminated');
});

test('an unknown id is not found, even with a subject', async () => {
  expect((await terminate(randomUUID()).expect(404)).body.detail).toBe('There is no such session.');
  await terminate(randomUUID(), { subject: 'viewer-17' }).expect(404);
  expect(await auditedIds()).toEqual([]);
});

test('a session that is not stored yet ends if its subject is named', async () => {
  const sessionId = await start();
  await terminate(sessionId).expect(404);
  expect((await terminate(sessionId, { subject: 'viewer-17' }).expect(200)).body).toEqual({ sessionIds: [sessionId] });
});

test('a session that is not stored yet ends once what playback has reported is stored', async () => {
  const sessionId = randomUUID();
  readEvents = () => play('viewer-17', sessionId);
  expect((await terminate(sessionId).expect(200)).body).toEqual({ sessionIds: [sessionId] });
});

test('if two subjects have active sessions with the id, one must be named, and only that one ends', async () => {
  const sessionId = await play('a');
  await play('b', sessionId);
  expect((await terminate(sessionId).expect(409)).body.detail).toBe(
    'Sessions of several subjects have this id: send the subject as well.',
  );
  expect((await terminate(sessionId, { subject: 'b' }).expect(200)).body).toEqual({ sessionIds: [sessionId] });
  expect([await activeOf('a'), await activeOf('b')]).toEqual([[sessionId], []]);
  // Now only one is active.
  expect((await terminate(sessionId).expect(200)).body).toEqual({ sessionIds: [sessionId] });
});

test('all sessions of a viewer end, and those of others go on', async () => {
  const ids = [await play('a'), await start('a')];
  const others = await play('b');
  const { body } = await terminateAll('a').expect(200);
  expect(body.sessionIds.sort()).toEqual([...ids].sort());
  expect(await activeOf('b')).toEqual([others]);
  expect((await auditedIds()).sort()).toEqual([...ids].sort());
  expect((await terminateAll('a').expect(200)).body).toEqual({ sessionIds: [] });
});

test('support may end sessions while the organization is suspended, a viewer never', async () => {
  const sessionId = await play();
  const viewer = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
  await controlPlane.api
    .post(url(`${sessionId}/terminate`))
    .set(bearer(viewer))
    .expect(403);
  const where = { id: tenant.organizationId };
  await controlPlane.prisma.organization.update({ where, data: { status: 'suspended' } });
  expect((await terminate(sessionId).expect(200)).body).toEqual({ sessionIds: [sessionId] });
});

test('while Redis cannot be reached, nothing ends and the call can be repeated', async () => {
  const { TEST_REDIS_URL = '' } = process.env;
  const link = await startNetworkLink(TEST_REDIS_URL);
  const cut = await startControlPlane({ redisUrl: link.url, databaseUrl: controlPlane.databaseUrl });
  const sessionId = await play();
  await link.cut();
  const { body } = await cut.api
    .post(url(`${sessionId}/terminate`))
    .set(bearer(support))
    .expect(503);
  expect(body).toMatchObject({ code: 'service_unavailable', retryable: true });
  expect(await auditedIds()).toEqual([]);
  expect(await activeOf('viewer-17')).toEqual([sessionId]);
  await link.close();
});
