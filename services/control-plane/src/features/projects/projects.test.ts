import { drmSystems } from '@multi-drm/contracts';
import { auditedActions, auditTrailOf } from '../../testing/audit-trail';
import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const url = () => `/api/v1/management/organizations/${tenant.organizationId}/projects`;
const createProject = (body: object) => controlPlane.api.post(url()).set(bearer(tenant.key)).send(body);
const listProjects = () => controlPlane.api.get(url()).set(bearer(tenant.key));

const every = (rest: { enabled: boolean; backend: string | null }) =>
  drmSystems.map((drmSystem) => ({ drmSystem, ...rest }));

test('a project starts with a development environment that plays at once and a production environment that must be configured', async () => {
  const { body } = await createProject({ name: 'Cinema', description: 'Films' }).expect(200);
  const times = { createdAt: '2026-03-01T10:00:00.000Z', updatedAt: '2026-03-01T10:00:00.000Z' };
  const environment = {
    environmentId: expect.any(String),
    projectId: body.projectId,
    status: 'active',
    settings: {
      defaultLicensePolicyTemplate: 'single-software',
      sessionLifetimeSeconds: 14_400,
      heartbeatSeconds: null,
      maximumSessionSeconds: 86_400,
      licenseTokenLifetimeSeconds: null,
      maximumConcurrentStreams: 3,
      allowedOrigins: ['*'],
      trackTypeHeights: { SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 },
    },
    ...times,
  };
  expect(body).toEqual({
    projectId: expect.any(String),
    organizationId: tenant.organizationId,
    name: 'Cinema',
    description: 'Films',
    status: 'active',
    environments: [
      {
        ...environment,
        kind: 'development',
        name: 'Development',
        drmSystems: every({ enabled: true, backend: 'clearkey' }),
      },
      {
        ...environment,
        kind: 'production',
        name: 'Production',
        drmSystems: every({ enabled: false, backend: null }),
      },
    ],
    ...times,
  });
});

test('a new project adds outbox entries for its environments and wakes the publisher', async () => {
  const wakes = controlPlane.wakes();
  const { body } = await createProject({ name: 'Cinema' }).expect(200);
  for (const { environmentId } of body.environments) {
    expect(await controlPlane.prisma.outboxEntry.findMany({ where: { documentId: environmentId } })).toMatchObject([
      { documentKind: 'environment' },
    ]);
  }
  expect(controlPlane.wakes()).toBe(wakes + 1);
});

test('projects are listed oldest first, without their environments, and without those of other organizations', async () => {
  const { now } = controlPlane.clock;
  for (const [name, milliseconds] of [
    ['Beta', 2],
    ['Alpha', 3],
    ['Gamma', 1],
  ] as const) {
    controlPlane.clock.now = new Date(now.getTime() + milliseconds);
    await createProject({ name }).expect(200);
  }
  await createTenant(controlPlane);
  const { body } = await listProjects().expect(200);
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['Academy', 'Gamma', 'Beta', 'Alpha']);
  expect(body[0]).not.toHaveProperty('environments');
  expect(body[1].description).toBeNull();
});

test('projects with the same creation time are listed in the order of their ids', async () => {
  for (let made = 0; made < 5; made += 1) await createProject({ name: 'Twin' }).expect(200);
  const ids = (await listProjects().expect(200)).body.map(({ projectId }: { projectId: string }) => projectId);
  expect(ids).toHaveLength(6);
  expect(ids).toEqual([...ids].sort());
});

describe('a create', () => {
  test('returns the ETag, and is audited with its environments', async () => {
    const { body, headers } = await createProject({ name: 'Cinema' }).expect(200);
    expect(headers.etag).toBe('"1"');
    expect(await auditedActions(controlPlane, body.projectId)).toEqual(['project.create']);
    for (const { environmentId } of body.environments) {
      expect(await auditedActions(controlPlane, environmentId)).toEqual(['environment.create']);
    }
  });

  test('with the same Idempotency-Key, fifty times concurrently, creates one project', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => createProject({ name: 'Once' }).set('Idempotency-Key', 'cinema')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await listProjects().expect(200)).body).toHaveLength(2);
  });

  test('with the Idempotency-Key of another body is rejected', async () => {
    await createProject({ name: 'One' }).set('Idempotency-Key', 'key').expect(200);
    const { body } = await createProject({ name: 'Two' }).set('Idempotency-Key', 'key').expect(422);
    expect(body.code).toBe('idempotency_key_reused');
  });

  test("stops at the plan's limit, even with concurrent requests", async () => {
    const inUse = 17;
    await controlPlane.prisma.project.createMany({
      data: Array.from({ length: inUse - 1 }, () => ({ organizationId: tenant.organizationId, name: 'Filler' })),
    });
    const answers = await Promise.all(Array.from({ length: 6 }, async () => createProject({ name: 'Cinema' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403, 403]);
    const { body } = await createProject({ name: 'Cinema' }).expect(403);
    expect(body).toMatchObject({
      code: 'plan_limit_reached',
      detail: 'The plan allows 20 projects, and 20 are in use.',
      limit: { name: 'projects', maximum: 20, used: 20 },
    });
    await controlPlane.api.delete(projectUrl(tenant.projectId)).set(bearer(tenant.key)).expect(204);
    await createProject({ name: 'Cinema' }).expect(200);
  });
});

const projectUrl = (projectId: string) => `/api/v1/management/projects/${projectId}`;
const readProject = () => controlPlane.api.get(projectUrl(tenant.projectId)).set(bearer(tenant.key));
const updateProject = (body: object, ifMatch = '"1"') =>
  controlPlane.api.patch(projectUrl(tenant.projectId)).set(bearer(tenant.key)).set('If-Match', ifMatch).send(body);
const archiveProject = (key = tenant.key) => controlPlane.api.delete(projectUrl(tenant.projectId)).set(bearer(key));

test('a project is read and changed with its ETag', async () => {
  const read = await readProject().expect(200);
  expect(read.headers.etag).toBe('"1"');
  expect(read.body).toMatchObject({ projectId: tenant.projectId, name: 'Academy', status: 'active' });
  expect(read.body).not.toHaveProperty('environments');

  const updated = await updateProject({ name: 'University', description: 'Lessons' }).expect(200);
  expect(updated.headers.etag).toBe('"2"');
  expect(updated.body).toMatchObject({ name: 'University', description: 'Lessons' });
  expect((await updateProject({ description: null }, '"2"').expect(200)).body).toMatchObject({
    name: 'University',
    description: null,
  });
  expect((await auditTrailOf(controlPlane, tenant.projectId)).map(({ action, details }) => [action, details])).toEqual([
    ['project.create', {}],
    ['project.update', { fields: ['name', 'description'] }],
    ['project.update', { fields: ['description'] }],
  ]);
});

test('a change of a project without its ETag, or with an old one, changes nothing', async () => {
  await controlPlane.api.patch(projectUrl(tenant.projectId)).set(bearer(tenant.key)).send({ name: 'x' }).expect(428);
  await updateProject({ name: 'x' }, '"7"').expect(412);
  const answers = await Promise.all(['A', 'B'].map(async (name) => updateProject({ name })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
});

test('null for a required field leaves it as it is, and a weak ETag matches like a strong one', async () => {
  const { body } = await updateProject({ name: null, description: 'New' }, 'W/"1"').expect(200);
  expect(body).toMatchObject({ name: expect.any(String), description: 'New' });
  expect((await updateProject({ description: null }, '"2-gzip"').expect(200)).body.description).toBeNull();
  await updateProject({ description: 'Late' }, 'W/"2"').expect(412);
});

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ name: null }, 'body'], // null is not a value of it, so the change is empty
  [{ status: 'archived' }, 'status'],
  [{}, 'body'],
])('the change %j of a project is rejected, naming %s', async (body, field) => {
  expect(Object.keys((await updateProject(body).expect(400)).body.errors)).toEqual([field]);
});

describe('an archived project', () => {
  test('is archived with its environments, and is removed from lists and playback', async () => {
    const apiClient = await controlPlane.api
      .post(`${projectUrl(tenant.projectId)}/api-clients`)
      .set(bearer(tenant.key))
      .send({ name: 'Backend', permissions: ['sessions:read'] })
      .expect(200);
    const endUser = await controlPlane.api
      .post(`${projectUrl(tenant.projectId)}/users`)
      .set(bearer(tenant.key))
      .send({ subject: 'student', status: 'blocked' })
      .expect(200);
    await controlPlane.prisma.outboxEntry.deleteMany();
    const wakes = controlPlane.wakes();

    await archiveProject().expect(204);
    await archiveProject().expect(204);

    const entries = await controlPlane.prisma.outboxEntry.findMany({ orderBy: { id: 'asc' } });
    expect(entries.map(({ documentKind, documentId }) => [documentKind, documentId])).toEqual([
      ['environment', tenant.development],
      ['environment', tenant.production],
      ['apiClient', apiClient.body.apiClientId],
      ['endUser', endUser.body.userId],
    ]);
    expect(controlPlane.wakes()).toBeGreaterThan(wakes);
    expect((await listProjects().expect(200)).body).toEqual([]);
    const read = await readProject().expect(200);
    expect(read.body.status).toBe('archived');
    expect(read.headers.etag).toBe('"2"');
    const environment = await controlPlane.api
      .get(`/api/v1/management/environments/${tenant.production}`)
      .set(bearer(tenant.key))
      .expect(200);
    expect(environment.body.status).toBe('archived');
    expect(await auditedActions(controlPlane, tenant.projectId)).toEqual(['project.create', 'project.archive']);
    expect(await auditedActions(controlPlane, tenant.production)).toEqual([
      'environment.create',
      'environment.archive',
    ]);
  });

  test('cannot be changed, and nothing can be created in it', async () => {
    await archiveProject().expect(204);
    expect((await updateProject({ name: 'x' }, '*').expect(409)).body.code).toBe('conflict');
    const create = controlPlane.api.post(`${projectUrl(tenant.projectId)}/environments`).set(bearer(tenant.key));
    expect((await create.send({ kind: 'staging' }).expect(409)).body.code).toBe('conflict');
  });

  test('has no active environment, not even one created concurrently', async () => {
    const create = controlPlane.api.post(`${projectUrl(tenant.projectId)}/environments`).set(bearer(tenant.key));
    const [created] = await Promise.all([create.send({ kind: 'staging' }), archiveProject().expect(204)]);
    expect([200, 409]).toContain(created.status);
    expect(
      await controlPlane.prisma.environment.count({ where: { projectId: tenant.projectId, status: 'active' } }),
    ).toBe(0);
  });

  test('is archived by an admin or the operator, not by an editor', async () => {
    const editor = await createManagementKey(controlPlane, tenant.organizationId, { role: 'editor' });
    await archiveProject(editor).expect(403);
    await archiveProject(operatorKey).expect(204);
  });
});
