import { drmSystems } from '@multi-drm/contracts';
import { auditedActions, auditTrailOf } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile } from '../../testing/license-records';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const list = () => `${management}/projects/${tenant.projectId}/environments`;
const url = (id = tenant.development) => `${management}/environments/${id}`;
const create = (body: object) => controlPlane.api.post(list()).set(bearer(tenant.key)).send(body);
const read = (id?: string) => controlPlane.api.get(url(id)).set(bearer(tenant.key));
const change = (body: object) => controlPlane.api.patch(url()).set(bearer(tenant.key)).set('If-Match', '*').send(body);
const archive = (id?: string) => controlPlane.api.delete(url(id)).set(bearer(tenant.key));

describe('a staging environment', () => {
  test('starts with no DRM system enabled, adds an outbox entry and is audited', async () => {
    const wakes = controlPlane.wakes();
    const { body, headers } = await create({ kind: 'staging' }).expect(200);
    expect(headers.etag).toBe('"1"');
    expect(body).toMatchObject({ projectId: tenant.projectId, kind: 'staging', name: 'Staging', status: 'active' });
    expect(body.drmSystems).toEqual(
      drmSystems.map((drmSystem) => ({
        drmSystem,
        enabled: false,
        backend: null,
      })),
    );
    expect((await read(body.environmentId).expect(200)).body).toEqual(body);
    expect(await controlPlane.prisma.outboxEntry.findMany({ where: { documentId: body.environmentId } })).toMatchObject(
      [{ documentKind: 'environment' }],
    );
    expect(controlPlane.wakes()).toBe(wakes + 1);
    expect(await auditedActions(controlPlane, body.environmentId)).toEqual(['environment.create']);
  });

  test('accepts a name', async () => {
    expect((await create({ kind: 'staging', name: 'Trial' }).expect(200)).body.name).toBe('Trial');
  });

  test('requires a known kind', async () => {
    expect(Object.keys((await create({ kind: 'test' }).expect(400)).body.errors)).toEqual(['kind']);
  });

  test('is created once for an Idempotency-Key', async () => {
    const first = await create({ kind: 'staging' }).set('Idempotency-Key', 'key').expect(200);
    const again = await create({ kind: 'staging' }).set('Idempotency-Key', 'key').expect(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers.etag).toBe(first.headers.etag);
  });

  test("counts against the plan's environments per project until it is archived", async () => {
    const answers = await Promise.all([1, 2, 3].map(async () => create({ kind: 'staging' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
    const { body } = await create({ kind: 'staging' }).expect(403);
    expect(body).toMatchObject({
      code: 'plan_limit_reached',
      limit: { name: 'environmentsPerProject', maximum: 3, used: 3 },
    });
    await archive(tenant.production).expect(204);
    await create({ kind: 'staging' }).expect(200);
  });
});

describe.each(['development', 'production'] as const)('a %s environment', (kind) => {
  test('is limited to one per project: a second one is rejected with the name of the first', async () => {
    const { body } = await create({ kind }).expect(409);
    const [noun, id] = [kind === 'production' ? 'Production' : 'Development', tenant[kind]];
    const detail = `The project already has a ${kind} environment, "${noun}" (${id}), which is the maximum: archive it first.`;
    expect(body).toMatchObject({ code: 'conflict', detail });
  });

  test('is rejected for its kind even if the plan has no room, because a larger plan would not help', async () => {
    await create({ kind: 'staging' }).expect(200);
    const { body } = await create({ kind }).expect(409);
    expect(body.code).toBe('conflict');
  });

  test('can be created if the project has none; of concurrent creates, one succeeds', async () => {
    await archive(tenant[kind]).expect(204);
    const answers = await Promise.all([1, 2, 3].map(async () => create({ kind, name: 'Next' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { body } = await controlPlane.api.get(list()).set(bearer(tenant.key)).expect(200);
    expect(body.filter((environment: { kind: string }) => environment.kind === kind)).toMatchObject([
      { name: 'Next', drmSystems: Array(4).fill({ enabled: kind === 'development' }) },
    ]);
  });
});

test('adding or archiving an environment adds outbox entries for the restricted end users of its project only', async () => {
  const synchronize = async (body: object): Promise<string> => {
    const url = `${management}/projects/${tenant.projectId}/users`;
    return (await controlPlane.api.post(url).set(bearer(tenant.key)).send(body).expect(200)).body.userId;
  };
  await synchronize({ subject: 'student' });
  const known = [
    await synchronize({ subject: 'blocked', status: 'blocked' }),
    await synchronize({ subject: 'limited', maximumConcurrentStreams: 1 }),
  ].sort();
  const entries = async () => {
    const entries = await controlPlane.prisma.outboxEntry.findMany({ where: { documentKind: 'endUser' } });
    await controlPlane.prisma.outboxEntry.deleteMany();
    return entries.map(({ documentId }) => documentId).sort();
  };
  await entries();
  const { body } = await create({ kind: 'staging' }).expect(200);
  expect(await entries()).toEqual(known);
  await archive(body.environmentId).expect(204);
  expect(await entries()).toEqual(known);
});

test('environments and their project can be archived concurrently', async () => {
  const project = controlPlane.api.delete(`${management}/projects/${tenant.projectId}`).set(bearer(tenant.key));
  const answers = await Promise.all([archive(tenant.production), project, archive(tenant.development)]);
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
  expect(await auditedActions(controlPlane, tenant.production)).toEqual(['environment.create', 'environment.archive']);
});

describe('an archived environment', () => {
  test('is removed from the list and from playback, and can still be read', async () => {
    await controlPlane.prisma.outboxEntry.deleteMany();
    await archive().expect(204);
    await archive().expect(204);
    expect(await controlPlane.prisma.outboxEntry.findMany()).toMatchObject([
      { documentKind: 'environment', documentId: tenant.development },
    ]);
    const { body } = await controlPlane.api.get(list()).set(bearer(tenant.key)).expect(200);
    expect(body.map(({ kind }: { kind: string }) => kind)).toEqual(['production']);
    const archived = await read().expect(200);
    expect(archived.body.status).toBe('archived');
    expect(archived.headers.etag).toBe('"2"');
    expect(await auditedActions(controlPlane, tenant.development)).toEqual([
      'environment.create',
      'environment.archive',
    ]);
  });

  test('cannot be changed', async () => {
    await archive().expect(204);
    expect((await change({ name: 'x' }).expect(409)).body.code).toBe('conflict');
  });
});

describe('the settings', () => {
  test('can all be changed together with the name, and are audited by name', async () => {
    await createLicenseProfile(controlPlane, tenant, 'Premium');
    const settings = {
      defaultLicensePolicyTemplate: 'Premium',
      sessionLifetimeSeconds: 600,
      heartbeatSeconds: 60,
      maximumSessionSeconds: 7_200,
      licenseTokenLifetimeSeconds: 300,
      maximumConcurrentStreams: 5,
      allowedOrigins: ['https://play.example.com', 'http://localhost:3000'],
      trackTypeHeights: { SD: 480, HD: 1080, UHD1: 1440, UHD2: 2160 },
    };
    const { body } = await change({ name: 'Try-out', settings }).expect(200);
    expect(body).toMatchObject({ name: 'Try-out', settings });
    expect((await read().expect(200)).body).toEqual(body);
    expect((await auditTrailOf(controlPlane, tenant.development)).at(-1)).toMatchObject({
      action: 'environment.update',
      details: { fields: ['name', ...Object.keys(settings).map((field) => `settings.${field}`)] },
    });
    const taken = await change({ settings: { heartbeatSeconds: null, licenseTokenLifetimeSeconds: null } }).expect(200);
    expect(taken.body.settings).toEqual({ ...settings, heartbeatSeconds: null, licenseTokenLifetimeSeconds: null });
  });

  test('stay as they are if only the name changes', async () => {
    const before = (await read().expect(200)).body;
    const { body } = await change({ name: 'Renamed' }).expect(200);
    expect(body.settings).toEqual(before.settings);
  });

  const heights = { SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 };
  test.each([
    [{ heartbeatSeconds: 9 }, ['settings.heartbeatSeconds']],
    [{ maximumSessionSeconds: 86_401 }, ['settings.maximumSessionSeconds']],
    [{ licenseTokenLifetimeSeconds: 0 }, ['settings.licenseTokenLifetimeSeconds']],
    [{ sessionLifetimeSeconds: 601, maximumSessionSeconds: 600 }, ['settings.sessionLifetimeSeconds']],
    [{ maximumSessionSeconds: 14_399 }, ['settings.maximumSessionSeconds']],
    [{ sessionLifetimeSeconds: 600, maximumSessionSeconds: 600, heartbeatSeconds: 601 }, ['settings.heartbeatSeconds']],
    [
      { sessionLifetimeSeconds: 600, maximumSessionSeconds: 600, licenseTokenLifetimeSeconds: 601 },
      ['settings.licenseTokenLifetimeSeconds'],
    ],
    [{ trackTypeHeights: { ...heights, HD: 576 } }, ['settings.trackTypeHeights.HD']],
    [{ trackTypeHeights: { ...heights, UHD1: 1080 } }, ['settings.trackTypeHeights.UHD1']],
    [{ trackTypeHeights: { ...heights, UHD2: 2000 } }, ['settings.trackTypeHeights.UHD2']],
    [{ trackTypeHeights: { SD: 576, HD: 1080, UHD1: 2160 } }, ['settings.trackTypeHeights.UHD2']],
    [{ allowedOrigins: [] }, ['settings.allowedOrigins']],
    [{ allowedOrigins: ['https://a.example', 'https://a.example/path'] }, ['settings.allowedOrigins[1]']],
    [{ allowedOrigins: ['https://a.example:443'] }, ['settings.allowedOrigins[0]']],
    [{ allowedOrigins: ['https://a.example:99999'] }, ['settings.allowedOrigins[0]']],
    [{ defaultLicensePolicyTemplate: 'Premium' }, ['settings.defaultLicensePolicyTemplate']],
    [
      { defaultLicensePolicyTemplate: 'Premium', maximumSessionSeconds: 60, trackTypeHeights: { ...heights, HD: 1 } },
      ['settings.defaultLicensePolicyTemplate', 'settings.maximumSessionSeconds', 'settings.trackTypeHeights.HD'],
    ],
  ])('%j are rejected, naming %j, and change nothing', async (settings, fields) => {
    const { body } = await change({ settings }).expect(400);
    expect(Object.keys(body.errors)).toEqual(fields);
    expect((await read()).headers.etag).toBe('"1"');
    expect(await auditedActions(controlPlane, tenant.development)).toEqual(['environment.create']);
  });

  test('may set session, heartbeat and token up to the longest session, which then cannot be shortened', async () => {
    const fitting = { sessionLifetimeSeconds: 600, heartbeatSeconds: 600, licenseTokenLifetimeSeconds: 600 };
    await change({ settings: { ...fitting, maximumSessionSeconds: 600 } }).expect(200);
    const { body } = await change({ settings: { maximumSessionSeconds: 599 } }).expect(400);
    const messages = Object.keys(fitting).map((field) => `must be at least ${field}, 600`);
    expect(body.errors).toEqual({ 'settings.maximumSessionSeconds': messages });
    await change({ settings: { heartbeatSeconds: 601 } }).expect(400);
  });
});

describe('the default policy', () => {
  const setDefault = (defaultLicensePolicyTemplate: string) => change({ settings: { defaultLicensePolicyTemplate } });

  test.each(['single-software', 'single-hdcp', 'single-hardware', 'multi-tier-standard'])(
    'can be the built-in template %s',
    async (name) => {
      expect((await setDefault(name).expect(200)).body.settings.defaultLicensePolicyTemplate).toBe(name);
    },
  );

  test('cannot be a license profile that is archived or of another project', async () => {
    const id = await createLicenseProfile(controlPlane, tenant, 'Old');
    await controlPlane.api.delete(`${management}/license-profiles/${id}`).set(bearer(tenant.key)).expect(204);
    await createLicenseProfile(controlPlane, await createTenant(controlPlane), 'Theirs');
    for (const name of ['Old', 'Theirs']) {
      expect((await setDefault(name).expect(400)).body.errors).toEqual({
        'settings.defaultLicensePolicyTemplate': [
          'must be a built-in template or an active license profile of the project',
        ],
      });
    }
  });

  test('cannot be set to a license profile that is concurrently archived', async () => {
    for (let round = 0; round < 10; round += 1) {
      const name = `Profile ${round}`;
      const id = await createLicenseProfile(controlPlane, tenant, name);
      const [changed, archived] = await Promise.all([
        setDefault(name),
        controlPlane.api.delete(`${management}/license-profiles/${id}`).set(bearer(tenant.key)),
      ]);
      expect([
        [200, 409],
        [400, 204],
      ]).toContainEqual([changed.status, archived.status]);
    }
  });
});
