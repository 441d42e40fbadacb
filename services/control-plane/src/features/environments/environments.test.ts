import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const url = () => `/api/v1/management/environments/${tenant.development}`;
const read = () => controlPlane.api.get(url()).set(bearer(tenant.key));
const change = (settings: object, ifMatch?: string) =>
  controlPlane.api
    .patch(url())
    .set(bearer(tenant.key))
    .set(ifMatch === undefined ? {} : { 'If-Match': ifMatch })
    .send({ settings });

test('the environments of a project are listed with development first', async () => {
  const { body } = await controlPlane.api
    .get(`/api/v1/management/projects/${tenant.projectId}/environments`)
    .set(bearer(tenant.key))
    .expect(200);
  expect(body.map(({ kind }: { kind: string }) => kind)).toEqual(['development', 'production']);
});

test('an environment is read with its ETag', async () => {
  const response = await read().expect(200);
  expect(response.headers.etag).toBe('"1"');
  expect(response.body).toMatchObject({ environmentId: tenant.development, kind: 'development' });
});

test('a change with the current ETag merges settings and returns the next ETag', async () => {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1_000);
  const changed = await change({ sessionLifetimeSeconds: 60, maximumConcurrentStreams: null }, '"1"').expect(200);
  expect(changed.headers.etag).toBe('"2"');
  expect(changed.body.settings).toEqual({
    defaultLicensePolicyTemplate: 'single-software',
    sessionLifetimeSeconds: 60,
    heartbeatSeconds: null,
    maximumSessionSeconds: 86_400,
    licenseTokenLifetimeSeconds: null,
    maximumConcurrentStreams: null,
    allowedOrigins: ['*'],
    trackTypeHeights: { SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 },
  });
  expect(changed.body.updatedAt).toBe(controlPlane.clock.now.toISOString());
  const { body, headers } = await read().expect(200);
  expect(body).toEqual(changed.body);
  expect(headers.etag).toBe('"2"');
});

test('a default policy can be removed', async () => {
  const { body } = await change({ defaultLicensePolicyTemplate: null }, '"1"').expect(200);
  expect(body.settings.defaultLicensePolicyTemplate).toBeNull();
});

test('a change adds an outbox entry for the environment and wakes the publisher', async () => {
  await controlPlane.prisma.outboxEntry.deleteMany();
  const wakes = controlPlane.wakes();
  await change({ sessionLifetimeSeconds: 60 }, '"1"').expect(200);
  expect(await controlPlane.prisma.outboxEntry.findMany()).toMatchObject([
    { documentKind: 'environment', documentId: tenant.development },
  ]);
  expect(controlPlane.wakes()).toBe(wakes + 1);
});

test('a change without an ETag is rejected with precondition_required', async () => {
  const { body } = await change({ sessionLifetimeSeconds: 60 }).expect(428);
  expect(body.code).toBe('precondition_required');
});

test.each(['"2"', 'W/"2"', '"2-gzip"', '1', '"1" "1"', ''])(
  'a change with the ETag %j changes nothing',
  async (ifMatch) => {
    await controlPlane.prisma.outboxEntry.deleteMany();
    const { body } = await change({ sessionLifetimeSeconds: 60 }, ifMatch).expect(412);
    expect(body.code).toBe('precondition_failed');
    const { headers } = await read().expect(200);
    expect(headers.etag).toBe('"1"');
    expect(await controlPlane.prisma.outboxEntry.count()).toBe(0);
  },
);

test.each(['*', '"7", "1"', 'W/"1", "1"'])(
  'a change with the ETags %j matches the current version',
  async (ifMatch) => {
    await change({ sessionLifetimeSeconds: 60 }, ifMatch).expect(200);
  },
);

test('of two concurrent changes with the same ETag, one succeeds and the other is rejected', async () => {
  for (let version = 1; version <= 10; version += 1) {
    const answers = await Promise.all(
      [60, 90].map(async (seconds) => change({ sessionLifetimeSeconds: seconds }, `"${version}"`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const made = answers.find(({ status }) => status === 200);
    expect((await read()).body.settings).toEqual(made?.body.settings);
  }
});

test('ten concurrent changes for any version all succeed, one after the other', async () => {
  const tags = await Promise.all(
    Array.from(
      { length: 10 },
      async () => (await change({ sessionLifetimeSeconds: 60 }, '*').expect(200)).headers.etag,
    ),
  );
  expect(new Set(tags).size).toBe(10);
  expect((await read()).headers.etag).toBe('"11"');
});

test.each([
  [{ sessionLifetimeSeconds: 29 }, 'settings.sessionLifetimeSeconds'],
  [{ sessionLifetimeSeconds: 86_401 }, 'settings.sessionLifetimeSeconds'],
  [{ sessionLifetimeSeconds: 60.5 }, 'settings.sessionLifetimeSeconds'],
  [{ sessionLifetimeSeconds: '60' }, 'settings.sessionLifetimeSeconds'],
  [{ sessionLifetimeSeconds: null }, 'settings'], // null is not a value of it, so nothing is left to change
  [{ maximumConcurrentStreams: 0 }, 'settings.maximumConcurrentStreams'],
  [{ maximumConcurrentStreams: 1_001 }, 'settings.maximumConcurrentStreams'],
  [{ defaultLicensePolicyTemplate: 'none' }, 'settings.defaultLicensePolicyTemplate'],
  [{ sessionLifetime: 60 }, 'settings.sessionLifetime'],
  [{}, 'settings'],
])('the settings %j are rejected, naming %s', async (settings, field) => {
  const { body } = await change(settings, '"1"').expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});
