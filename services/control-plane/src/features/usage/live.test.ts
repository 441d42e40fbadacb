import { randomUUID } from 'node:crypto';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { startRedis } from '@multi-drm/test-kit';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createContent, createManagementKey, createTenant, type TestTenant } from '../../testing/records';
import { countStream, startSession, storeSession } from '../../testing/sessions';

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

const ask = (query: object = {}) =>
  controlPlane.api.get(`/api/v1/management/environments/${tenant.development}/live`).query(query).set(bearer(viewer));
const live = async (query?: object): Promise<ControlPlaneSchemas['LiveResponse']> =>
  (await ask(query).expect(200)).body;
const start = (environmentId = tenant.development) =>
  startSession(controlPlane, environmentId, { subject: randomUUID(), sessionId: randomUUID() });
const limitNamed = async (name: string) => (await live()).limits.find((limit) => limit.name === name);

async function countStreams(count: number): Promise<void> {
  const sessions = Array.from({ length: count }, (_, index) => ({
    environmentId: tenant.development,
    subject: 'viewer-17',
    sessionId: `${index}`,
  }));
  await Promise.all(sessions.map((session) => countStream(controlPlane, tenant.organizationId, session)));
}

test('the streams of this moment are those that playback has, in this environment only', async () => {
  expect(await live()).toMatchObject({ concurrentStreams: 0, groupBy: null, groupsCompleteUntil: null, groups: [] });
  await start();
  await start();
  await start(tenant.production);
  expect(await live()).toMatchObject({ concurrentStreams: 2 });
});

test('the open sessions are grouped by the asked property, the most frequent value first, up to a time in the response', async () => {
  const store = (contentId: string, endedAt?: Date) =>
    storeSession(controlPlane.prisma, tenant.development, { contentId, endedAt: endedAt ?? null });
  for (const contentId of ['film', 'lesson', 'film']) await store(contentId);
  await store('over', new Date('2026-03-01T09:30:00.000Z'));
  const answer = await live({ groupBy: 'contentId' });
  expect(answer.groups).toEqual([
    { value: 'film', concurrentStreams: 2 },
    { value: 'lesson', concurrentStreams: 1 },
  ]);
  expect(answer).toMatchObject({ groupBy: 'contentId', groupsCompleteUntil: expect.any(String), omittedGroups: 0 });
});

test('of many values, the 100 with the most streams are shown, and the rest is counted', async () => {
  await storeSession(controlPlane.prisma, tenant.development, { contentId: 'film-0', endedAt: null });
  const { contentId: _, ...session } = await controlPlane.prisma.session.findFirstOrThrow({
    where: { environmentId: tenant.development },
  });
  await controlPlane.prisma.session.createMany({
    data: Array.from({ length: 101 }, (_, index) => ({
      ...session,
      reporting: {},
      reservationId: randomUUID(),
      contentId: `film-${index + 1}`,
    })),
  });
  const answer = await live({ groupBy: 'contentId' });
  expect(answer.groups).toHaveLength(100);
  expect(answer.omittedGroups).toBe(2);
});

test('all limits of the plan are there, with their use', async () => {
  await createContent(controlPlane, tenant);
  await countStreams(3);
  expect(await live()).toMatchObject({
    planId: 'developer',
    limits: [
      { name: 'projects', used: 1, limit: 20, status: 'below' },
      { name: 'environmentsPerProject', used: 2, limit: 3, status: 'below' },
      { name: 'contentAssets', used: 1, limit: 1000, status: 'below' },
      { name: 'concurrentStreams', used: 3, limit: 100, status: 'below' },
    ],
  });
});

test.each([
  [79, 'below'],
  [80, 'near'],
  [99, 'near'],
  [100, 'reached'],
])('with %d of 100 streams, the limit is %s', async (used, status) => {
  await countStreams(used);
  expect(await limitNamed('concurrentStreams')).toEqual({ name: 'concurrentStreams', used, limit: 100, status });
});

test('without a limit of streams, none is near', async () => {
  const { organizationId: id } = tenant;
  await controlPlane.prisma.organization.update({ where: { id }, data: { planId: 'enterprise' } });
  await countStreams(100);
  const none = { name: 'concurrentStreams', used: null, limit: null, status: 'below' };
  expect(await limitNamed('concurrentStreams')).toEqual(none);
});

test.each([
  ['two groupings', { groupBy: ['contentId', 'drmSystem'] }],
  ['two in one', { groupBy: 'contentId,drmSystem' }],
  ['an unknown grouping', { groupBy: 'subject' }],
])('%s: refused', async (_, query) => {
  const { body } = await ask(query).expect(400);
  expect(body.code).toBe('invalid_request');
  expect(Object.keys(body.errors)).toEqual(['groupBy']);
});

test('without Redis, usage is answered, but not known to be complete, and the streams of this moment are not', async () => {
  const server = await startRedis();
  const alone = await startControlPlane({ redisUrl: server.url });
  const { key, development } = await createTenant(alone);
  await server.stop();
  const get = (path: string) =>
    alone.api.get(`/api/v1/management/environments/${development}/${path}`).set(bearer(key));
  const { body } = await get('usage?from=2026-02-01T00:00:00Z').expect(200);
  expect(body).toMatchObject({ completeUntil: null, intervals: [] });
  const answer = await get('live').expect(503);
  expect(answer.body).toMatchObject({ code: 'service_unavailable' });
});
