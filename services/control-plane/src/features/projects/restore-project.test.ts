import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { auditedActions } from '../../testing/audit-trail';
import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile } from '../../testing/license-records';
import { bearer, createContent, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

type Method = 'get' | 'post' | 'patch' | 'delete';

const call = async (method: Method, path: string, body?: object, key = tenant.key): Promise<Response> =>
  controlPlane.api[method](`/api/v1/management/${path}`)
    .set({ ...bearer(key), ...(method === 'patch' ? { 'If-Match': '*' } : {}) })
    .send(body);
const project = () => `projects/${tenant.projectId}`;
const archive = () => call('delete', `${project()}?cascade=true`);
const restore = () => call('post', `${project()}/restore`);
const statusOf = async (path: string) => (await call('get', path)).body.status;

test('a project is restored with the environments that were archived with it, and no other', async () => {
  const staging = (await call('post', `${project()}/environments`, { kind: 'staging' })).body.environmentId;
  await call('delete', `environments/${staging}`);
  const before = (await call('get', project())).body;
  await archive();
  expect((await restore()).body).toEqual(before);
  expect(await statusOf(`environments/${tenant.development}`)).toBe('active');
  expect(await statusOf(`environments/${tenant.production}`)).toBe('active');
  expect(await statusOf(`environments/${staging}`)).toBe('archived');
  expect(await auditedActions(controlPlane, tenant.projectId)).toEqual([
    'project.create',
    'project.archive',
    'project.restore',
  ]);
  expect(await auditedActions(controlPlane, tenant.production)).toEqual([
    'environment.create',
    'environment.archive',
    'environment.restore',
  ]);
  expect((await call('post', `environments/${staging}/restore`)).status).toBe(200);
});

test('an environment that was archived, restored and archived with its project is restored with it', async () => {
  await call('delete', `environments/${tenant.production}`);
  await call('post', `environments/${tenant.production}/restore`);
  await archive();
  await restore();
  expect(await statusOf(`environments/${tenant.production}`)).toBe('active');
  // Archiving it on its own clears the link to the project's archiving, so it stays archived.
  await call('delete', `environments/${tenant.production}`);
  await archive();
  await restore();
  expect(await statusOf(`environments/${tenant.production}`)).toBe('archived');
});

test('API clients, end users and content of a restored project return to playback as they were', async () => {
  const client = { name: 'Backend', permissions: ['sessions:read'] };
  const used = (await call('post', `${project()}/api-clients`, client)).body.apiClientId;
  const revoked = (await call('post', `${project()}/api-clients`, client)).body.apiClientId;
  await call('delete', `api-clients/${revoked}`);
  const blocked = (await call('post', `${project()}/users`, { subject: 'student', status: 'blocked' })).body.userId;
  const erased = (await call('post', `${project()}/users`, { subject: 'former' })).body.userId;
  await call('delete', `users/${erased}`);
  const content = await createContent(controlPlane, tenant);
  await call('post', `content/${content}/publish`);
  await archive();
  await controlPlane.prisma.outboxEntry.deleteMany();
  const wakes = controlPlane.wakes();
  await restore();
  const entries = await controlPlane.prisma.outboxEntry.findMany({ orderBy: { id: 'asc' } });
  expect(entries.map(({ documentKind, documentId }) => [documentKind, documentId]).sort()).toEqual(
    [
      ['environment', tenant.development],
      ['environment', tenant.production],
      ['apiClient', used],
      ['apiClient', revoked],
      ['endUser', blocked],
    ].sort(),
  );
  expect(controlPlane.wakes()).toBeGreaterThan(wakes);
  const clients: { apiClientId: string; status: string }[] = (await call('get', `${project()}/api-clients`)).body;
  expect(clients.map(({ apiClientId, status }) => [apiClientId, status])).toEqual([
    [used, 'active'],
    [revoked, 'revoked'],
  ]);
  expect(await statusOf(`users/${blocked}`)).toBe('blocked');
  expect(await statusOf(`users/${erased}`)).toBe('archived');
  expect(await statusOf(`content/${content}`)).toBe('published');
});

test('a license profile needed by a project being restored cannot be archived concurrently', async () => {
  const [asDefault, asCeiling] = [
    await createLicenseProfile(controlPlane, tenant, 'Default'),
    await createLicenseProfile(controlPlane, tenant, 'Ceiling'),
  ];
  const settings = { defaultLicensePolicyTemplate: 'Default' };
  await call('patch', `environments/${tenant.production}`, { settings });
  await createContent(controlPlane, tenant, { licenseProfileId: asCeiling });
  await archive();
  for (const id of [asDefault, asCeiling]) {
    expect((await call('delete', `license-profiles/${id}`)).body).toMatchObject({ status: 409, code: 'record_in_use' });
  }
  expect((await restore()).status).toBe(200);
});

describe('the plan', () => {
  test('limits projects: none is restored beyond the limit', async () => {
    await archive();
    await controlPlane.prisma.project.createMany({
      data: Array.from({ length: 20 }, () => ({ organizationId: tenant.organizationId, name: 'Filler' })),
    });
    const { body } = await restore();
    const limit = { name: 'projects', maximum: 20, used: 20 };
    expect(body).toMatchObject({ status: 403, code: 'plan_limit_reached', limit });
  });

  test('limits environments: a project with more than the plan now allows is not restored', async () => {
    const setPlan = (planId: string) =>
      call('patch', `organizations/${tenant.organizationId}`, { planId }, operatorKey);
    await setPlan('business');
    for (const _ of [1, 2]) await call('post', `${project()}/environments`, { kind: 'staging' });
    await archive();
    await setPlan('developer');
    const { body } = await restore();
    expect(body).toMatchObject({
      status: 403,
      detail: 'The plan allows 3 environments per project, and 0 are in use. This request would add 4.',
    });
    await setPlan('business');
    expect((await restore()).status).toBe(200);
  });

  test('limits content: a project is not restored if its content exceeds the limit', async () => {
    const { prisma } = controlPlane;
    const rows = (environmentId: string, count: number) => ({
      data: Array.from({ length: count }, () => ({
        environmentId,
        contentId: randomUUID(),
        kind: 'audio' as const,
        title: 'Song',
        audioLanguages: [],
        subtitleLanguages: [],
      })),
    });
    await prisma.contentAsset.createMany(rows(tenant.production, 500));
    await archive();
    const path = `organizations/${tenant.organizationId}/projects`;
    const { environments } = (await call('post', path, { name: 'Next' })).body;
    await prisma.contentAsset.createMany(rows(environments[0].environmentId, 501));
    const { body } = await restore();
    expect(body).toMatchObject({ status: 403, limit: { name: 'contentAssets', maximum: 1_000, used: 501 } });
  });
});

test('of concurrently archiving and restoring a project, its environments always follow the project', async () => {
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([
      archive(),
      restore(),
      call('post', `environments/${tenant.production}/restore`),
      archive(),
      restore(),
    ]);
    const [projectStatus, environmentStatus] = [
      await statusOf(project()),
      await statusOf(`environments/${tenant.production}`),
    ];
    expect(environmentStatus).toBe(projectStatus);
  }
});
