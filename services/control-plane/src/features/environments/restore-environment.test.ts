import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile } from '../../testing/license-records';
import { bearer, createTenant, newContent, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

const call = async (method: Method, path: string, body?: object): Promise<Response> =>
  controlPlane.api[method](`/api/v1/management/${path}`)
    .set({ ...bearer(tenant.key), ...(method === 'patch' ? { 'If-Match': '*' } : {}) })
    .send(body);
const archive = (id: string) => call('delete', `environments/${id}?cascade=true`);
const restore = (id: string) => call('post', `environments/${id}/restore`);
const create = async (kind: string): Promise<string> =>
  (await call('post', `projects/${tenant.projectId}/environments`, { kind })).body.environmentId;
const addContent = async (changes: object = {}): Promise<string> =>
  (await call('post', `environments/${tenant.production}/content`, { ...newContent(), ...changes })).body
    .contentAssetId;

test('the production environment is restored with its settings, DRM systems, secrets and content', async () => {
  const backend = {
    type: 'http',
    url: 'https://license.example.com/',
    responseFormat: 'raw',
    secretHeaders: { 'X-Key': 'license-server-secret' },
  };
  const drmSystem = `environments/${tenant.production}/drm-systems/widevine`;
  expect((await call('put', drmSystem, { enabled: true, backend })).status).toBe(200);
  await call('patch', `environments/${tenant.production}`, { name: 'Live', settings: { heartbeatSeconds: 30 } });
  const [draft, published, archived] = [await addContent(), await addContent(), await addContent()];
  await call('post', `content/${published}/publish`);
  await call('delete', `content/${archived}`);
  const paths = [
    `environments/${tenant.production}`,
    drmSystem,
    ...[draft, published, archived].map((id) => `content/${id}`),
  ];
  const readAll = async () => {
    const records = [];
    for (const path of paths) records.push((await call('get', path)).body);
    return records;
  };
  const secretsOf = () =>
    controlPlane.prisma.environmentDrmSystem.findMany({ where: { environmentId: tenant.production } });
  const [before, secrets] = [await readAll(), await secretsOf()];

  expect((await archive(tenant.production)).status).toBe(204);
  const restored = await restore(tenant.production);
  expect(restored.status).toBe(200);
  expect(restored.body).toEqual(before[0]);
  expect(await readAll()).toEqual(before);
  expect(await secretsOf()).toEqual(secrets);
});

test('an environment whose kind is taken meanwhile can be restored only after the other is archived', async () => {
  await archive(tenant.production);
  const next = await create('production');
  const { body } = await restore(tenant.production);
  const detail = `The project already has a production environment, "Production" (${next}), which is the maximum: archive it first.`;
  expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
  await archive(next);
  expect((await restore(tenant.production)).status).toBe(200);
});

test('of two environments of a kind that are restored concurrently, one succeeds', async () => {
  for (let round = 0; round < 5; round += 1) {
    await archive(tenant.production);
    const next = await create('production');
    await archive(next);
    const answers = await Promise.all([restore(tenant.production), restore(next)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    tenant.production = answers[0]?.status === 200 ? tenant.production : next;
  }
});

describe('the plan', () => {
  test('limits the environments of a project: none is restored beyond the limit', async () => {
    const staging = await create('staging');
    await archive(staging);
    await create('staging');
    const { body } = await restore(staging);
    const limit = { name: 'environmentsPerProject', maximum: 3, used: 3 };
    expect(body).toMatchObject({ status: 403, code: 'plan_limit_reached', limit });
  });

  test('limits content: an environment is not restored if its content exceeds the limit', async () => {
    await addContent();
    await addContent();
    await archive(tenant.production);
    await controlPlane.prisma.contentAsset.createMany({
      data: Array.from({ length: 999 }, () => ({
        environmentId: tenant.development,
        contentId: randomUUID(),
        kind: 'audio' as const,
        title: 'Song',
        audioLanguages: [],
        subtitleLanguages: [],
      })),
    });
    const { body } = await restore(tenant.production);
    expect(body).toMatchObject({
      status: 403,
      code: 'plan_limit_reached',
      detail: 'The plan allows 1000 content assets, and 999 are in use. This request would add 2.',
      limit: { name: 'contentAssets', maximum: 1_000, used: 999 },
    });
  });
});

describe('a license profile that was archived meanwhile is named, to be restored first', () => {
  const isNamed = async (licenseProfileId: string) => {
    const { body } = await restore(tenant.production);
    const detail = `The license profile "Premium" (${licenseProfileId}) is archived: restore it first.`;
    expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
    await call('post', `license-profiles/${licenseProfileId}/restore`);
    expect((await restore(tenant.production)).status).toBe(200);
  };

  test('if it is the default of the environment', async () => {
    const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
    const settings = { defaultLicensePolicyTemplate: 'Premium' };
    expect((await call('patch', `environments/${tenant.production}`, { settings })).status).toBe(200);
    await archive(tenant.production);
    expect((await call('delete', `license-profiles/${licenseProfileId}`)).status).toBe(204);
    await isNamed(licenseProfileId);
  });

  test('if content of the environment needs it', async () => {
    const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
    await addContent({ licenseProfileId });
    await archive(tenant.production);
    expect((await call('delete', `license-profiles/${licenseProfileId}`)).status).toBe(204);
    await isNamed(licenseProfileId);
  });
});

test('a default that was renamed meanwhile is reported', async () => {
  const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
  await call('patch', `environments/${tenant.production}`, { settings: { defaultLicensePolicyTemplate: 'Premium' } });
  await archive(tenant.production);
  expect((await call('patch', `license-profiles/${licenseProfileId}`, { name: 'Basic' })).status).toBe(200);
  const { body } = await restore(tenant.production);
  const detail = 'The default "Premium" is no longer a license profile of the project: create it first.';
  expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
  await createLicenseProfile(controlPlane, tenant, 'Premium');
  expect((await restore(tenant.production)).status).toBe(200);
});

test('of concurrently restoring an environment and archiving a profile that it needs, one is rejected', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await createLicenseProfile(controlPlane, tenant, `P${round}`);
    const settings = { defaultLicensePolicyTemplate: `P${round}` };
    expect((await call('patch', `environments/${tenant.production}`, { settings })).status).toBe(200);
    await archive(tenant.production);
    const answers = await Promise.all([restore(tenant.production), call('delete', `license-profiles/${id}`)]);
    const statuses = answers.map(({ status }) => status);
    expect([
      [200, 409],
      [409, 204],
    ]).toContainEqual(statuses);
    if (statuses[0] === 409) {
      await call('post', `license-profiles/${id}/restore`);
      await restore(tenant.production);
    }
  }
});
