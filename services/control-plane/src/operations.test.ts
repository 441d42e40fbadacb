import { randomUUID } from 'node:crypto';
import { type ControlPlaneOperations, controlPlaneDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import type { Response } from 'supertest';
import { operatorKey, startControlPlane, type TestControlPlane } from './testing/control-plane';
import { createRights, newLicenseProfile } from './testing/license-records';
import { bearer, createContent, createTenant, newContent, newRegistration, type TestTenant } from './testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const key = () => bearer(tenant.key);

async function ended(path: string, credential = key()): Promise<Response> {
  return controlPlane.api.delete(`${management}/${path}`).set(credential);
}

/** Changes the record at the path. */
async function changed(path: string, body: object, ifMatch = '*'): Promise<Response> {
  return controlPlane.api
    .patch(`${management}/${path}`)
    .set({ ...key(), 'If-Match': ifMatch })
    .send(body);
}

/** Archives the record at the path and restores it. */
async function restored(path: string, credential = key()): Promise<Response> {
  expect((await ended(path, credential)).status).toBe(204);
  return controlPlane.api.post(`${management}/${path}/restore`).set(credential);
}

/** One successful call of each operation. The server validates each response against the document. */
const calls: Record<keyof ControlPlaneOperations, () => Promise<Response>> = {
  getLiveness: async () => controlPlane.api.get('/api/v1/health/live'),
  getReadiness: async () => controlPlane.api.get('/api/v1/health/ready'),
  registerCompany: async () => controlPlane.api.post('/api/v1/organizations/registrations').send(newRegistration()),
  listPlans: async () => controlPlane.api.get('/api/v1/plans'),
  getPlatformCapabilities: async () => controlPlane.api.get('/api/v1/platform/capabilities'),
  listOrganizations: async () => controlPlane.api.get(`${management}/organizations`).set(bearer(operatorKey)),
  getOrganization: async () => controlPlane.api.get(`${management}/organizations/${tenant.organizationId}`).set(key()),
  updateOrganization: async () =>
    changed(`organizations/${tenant.organizationId}`, { website: 'https://example.com/' }),
  archiveOrganization: async () => {
    const { organizationId } = await createTenant(controlPlane);
    return ended(`organizations/${organizationId}`, bearer(operatorKey));
  },
  restoreOrganization: async () => {
    const { organizationId } = await createTenant(controlPlane);
    return restored(`organizations/${organizationId}`, bearer(operatorKey));
  },
  listProjects: async () =>
    controlPlane.api.get(`${management}/organizations/${tenant.organizationId}/projects`).set(key()),
  createProject: async () =>
    controlPlane.api
      .post(`${management}/organizations/${tenant.organizationId}/projects`)
      .set(key())
      .send({ name: 'Cinema', description: 'Films' }),
  getProject: async () => controlPlane.api.get(`${management}/projects/${tenant.projectId}`).set(key()),
  updateProject: async () => changed(`projects/${tenant.projectId}`, { description: 'Lessons' }),
  archiveProject: async () => ended(`projects/${(await calls.createProject()).body.projectId}`),
  restoreProject: async () => restored(`projects/${(await calls.createProject()).body.projectId}`),
  listEnvironments: async () =>
    controlPlane.api.get(`${management}/projects/${tenant.projectId}/environments`).set(key()),
  createEnvironment: async () => {
    const { projectId } = (await calls.createProject()).body;
    return controlPlane.api
      .post(`${management}/projects/${projectId}/environments`)
      .set(key())
      .send({ kind: 'staging' });
  },
  archiveEnvironment: async () => ended(`environments/${(await calls.createEnvironment()).body.environmentId}`),
  restoreEnvironment: async () => restored(`environments/${(await calls.createEnvironment()).body.environmentId}`),
  getDrmSystem: async () =>
    controlPlane.api.get(`${management}/environments/${tenant.development}/drm-systems/fairplay`).set(key()),
  configureDrmSystem: async () =>
    controlPlane.api
      .put(`${management}/environments/${tenant.production}/drm-systems/widevine`)
      .set(key())
      .send({
        enabled: true,
        backend: {
          type: 'http',
          url: 'https://license.example.com/',
          responseFormat: 'raw',
          secretHeaders: { K: 'v' },
        },
      }),
  updateDrmSystem: async () => changed(`environments/${tenant.development}/drm-systems/playready`, { enabled: false }),
  removeDrmSystem: async () => ended(`environments/${tenant.development}/drm-systems/playready`),
  testDrmSystem: async () =>
    controlPlane.api.post(`${management}/environments/${tenant.development}/drm-systems/widevine/test`).set(key()),
  getEnvironment: async () => controlPlane.api.get(`${management}/environments/${tenant.development}`).set(key()),
  updateEnvironment: async () =>
    changed(`environments/${tenant.development}`, { settings: { maximumConcurrentStreams: null } }),
  listContentAssets: async () => {
    await createContent(controlPlane, tenant);
    return controlPlane.api.get(`${management}/environments/${tenant.development}/content`).set(key());
  },
  createContentAsset: async () =>
    controlPlane.api.post(`${management}/environments/${tenant.development}/content`).set(key()).send(newContent()),
  publishContentAsset: async () =>
    controlPlane.api.post(`${management}/content/${await createContent(controlPlane, tenant)}/publish`).set(key()),
  getContentAsset: async () =>
    controlPlane.api.get(`${management}/content/${await createContent(controlPlane, tenant)}`).set(key()),
  updateContentAsset: async () =>
    changed(`content/${await createContent(controlPlane, tenant)}`, { title: 'Lesson 43' }, '"1"'),
  archiveContentAsset: async () => ended(`content/${await createContent(controlPlane, tenant)}`),
  restoreContentAsset: async () => restored(`content/${await createContent(controlPlane, tenant)}`),
  unpublishContentAsset: async () =>
    controlPlane.api.post(`${management}/content/${await createContent(controlPlane, tenant)}/unpublish`).set(key()),
  createRights: async () =>
    controlPlane.api
      .post(`${management}/projects/${tenant.projectId}/rights`)
      .set(key())
      .send({ name: 'Rental', maximumConcurrentStreams: 2, allowedClientPlatforms: ['web'] }),
  listRights: async () => {
    await calls.createRights();
    return controlPlane.api.get(`${management}/projects/${tenant.projectId}/rights`).set(key());
  },
  getRights: async () =>
    controlPlane.api.get(`${management}/rights/${await createRights(controlPlane, tenant)}`).set(key()),
  updateRights: async () =>
    changed(`rights/${await createRights(controlPlane, tenant)}`, { atStreamLimit: 'evict-oldest' }, '"1"'),
  archiveRights: async () => ended(`rights/${await createRights(controlPlane, tenant)}`),
  restoreRights: async () => restored(`rights/${await createRights(controlPlane, tenant)}`),
  createLicenseProfile: async () =>
    controlPlane.api
      .post(`${management}/projects/${tenant.projectId}/license-profiles`)
      .set(key())
      .send(newLicenseProfile(randomUUID())),
  listLicenseProfiles: async () => {
    await calls.createLicenseProfile();
    return controlPlane.api.get(`${management}/projects/${tenant.projectId}/license-profiles`).set(key());
  },
  getLicenseProfile: async () => {
    const { licenseProfileId } = (await calls.createLicenseProfile()).body;
    return controlPlane.api.get(`${management}/license-profiles/${licenseProfileId}`).set(key());
  },
  updateLicenseProfile: async () => {
    const { licenseProfileId } = (await calls.createLicenseProfile()).body;
    return changed(`license-profiles/${licenseProfileId}`, { maximumHeight: 720 }, '"1"');
  },
  archiveLicenseProfile: async () => {
    const { licenseProfileId } = (await calls.createLicenseProfile()).body;
    return ended(`license-profiles/${licenseProfileId}`);
  },
  restoreLicenseProfile: async () => {
    const { licenseProfileId } = (await calls.createLicenseProfile()).body;
    return restored(`license-profiles/${licenseProfileId}`);
  },
  createApiClient: async () =>
    controlPlane.api
      .post(`${management}/projects/${tenant.projectId}/api-clients`)
      .set(key())
      .send({ name: 'Backend', permissions: ['license-tokens:create'] }),
  listApiClients: async () => {
    await calls.createApiClient();
    return controlPlane.api.get(`${management}/projects/${tenant.projectId}/api-clients`).set(key());
  },
  getApiClient: async () => {
    const { apiClientId } = (await calls.createApiClient()).body;
    return controlPlane.api.get(`${management}/api-clients/${apiClientId}`).set(key());
  },
  updateApiClient: async () => {
    const { apiClientId } = (await calls.createApiClient()).body;
    return changed(
      `api-clients/${apiClientId}`,
      { name: 'Checkout', permissions: ['sessions:read'], environmentIds: null },
      '"1"',
    );
  },
  rotateApiClient: async () => {
    const { apiClientId } = (await calls.createApiClient()).body;
    return controlPlane.api
      .post(`${management}/api-clients/${apiClientId}/rotate`)
      .set(key())
      .send({ overlapSeconds: 60 });
  },
  revokeApiClient: async () => ended(`api-clients/${(await calls.createApiClient()).body.apiClientId}`),
  synchronizeEndUser: async () =>
    controlPlane.api
      .post(`${management}/projects/${tenant.projectId}/users`)
      .set(key())
      .send({ subject: randomUUID(), displayName: 'Ada', attributes: { semester: 3 } }),
  listEndUsers: async () => {
    await calls.synchronizeEndUser();
    return controlPlane.api.get(`${management}/projects/${tenant.projectId}/users?status=active`).set(key());
  },
  getEndUser: async () => {
    const { userId } = (await calls.synchronizeEndUser()).body;
    return controlPlane.api.get(`${management}/users/${userId}`).set(key());
  },
  updateEndUser: async () => {
    const { userId } = (await calls.synchronizeEndUser()).body;
    return changed(`users/${userId}`, { status: 'blocked' }, '"1"');
  },
  eraseEndUser: async () => ended(`users/${(await calls.synchronizeEndUser()).body.userId}`),
  createManagementKey: async () =>
    controlPlane.api
      .post(`${management}/organizations/${tenant.organizationId}/management-keys`)
      .set(key())
      .send({ name: 'Reports', role: 'viewer' }),
  listManagementKeys: async () =>
    controlPlane.api.get(`${management}/organizations/${tenant.organizationId}/management-keys`).set(key()),
  updateManagementKey: async () => {
    const { keyId } = (await calls.createManagementKey()).body;
    return controlPlane.api
      .patch(`${management}/management-keys/${keyId}`)
      .set(key())
      .send({ name: 'Monthly reports' });
  },
  rotateManagementKey: async () => {
    const { keyId } = (await calls.createManagementKey()).body;
    return controlPlane.api.post(`${management}/management-keys/${keyId}/rotate`).set(key());
  },
  revokeManagementKey: async () => ended(`management-keys/${(await calls.createManagementKey()).body.keyId}`),
  listAuditEvents: async () => {
    await calls.createManagementKey();
    return controlPlane.api.get(`${management}/organizations/${tenant.organizationId}/audit-events`).set(key());
  },
};

test.each(operationsOf(controlPlaneDocument))('$operationId answers as documented', async (operation) => {
  const call = calls[operation.operationId as keyof ControlPlaneOperations];
  const response = await call();
  const { method, url } = response.request;
  expect(method).toBe(operation.method.toUpperCase());
  expect(new URL(url).pathname).toMatch(new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
  expect(response.body.code).toBeUndefined();
  const { status, hasEtag } = documentedSuccess(operation);
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe(status === 204 ? undefined : 'application/json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(Object.hasOwn(response.headers, 'etag')).toBe(hasEtag);
});

const reads = operationsOf(controlPlaneDocument).filter(({ method }) => method === 'get');

test.each(reads)('HEAD of $operationId has the headers of GET and no body', async ({ operationId }) => {
  const { request } = await calls[operationId as keyof ControlPlaneOperations]();
  const headers = operationId === 'listOrganizations' ? bearer(operatorKey) : key();
  const { pathname, search } = new URL(request.url);
  const get = await controlPlane.api
    .get(pathname + search)
    .set(headers)
    .expect(200);
  const head = await controlPlane.api
    .head(pathname + search)
    .set(headers)
    .expect(200);
  expect(head.text).toBeUndefined();
  for (const name of ['content-type', 'cache-control', 'etag']) expect(head.headers[name]).toBe(get.headers[name]);
});

test.each(reads)('unknown parameters of $operationId are ignored only for monitoring endpoints', async (operation) => {
  const { request } = await calls[operation.operationId as keyof ControlPlaneOperations]();
  const headers = operation.operationId === 'listOrganizations' ? bearer(operatorKey) : key();
  const { status } = await controlPlane.api.get(`${new URL(request.url).pathname}?_=1`).set(headers);
  expect(status).toBe(operation.calledBy === 'monitors' ? 200 : 400);
});

/** The document's description of an operation's success. */
function documentedSuccess({ path, method }: { path: string; method: string }) {
  type Operation = { responses: Record<string, { headers?: { ETag?: object } }> };
  const { responses } = (controlPlaneDocument.paths[path]?.[method] ?? { responses: {} }) as Operation;
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  return { status: Number(status), hasEtag: response?.headers?.ETag !== undefined };
}

test('nothing is logged at warn or error while all is well', () => {
  expect(controlPlane.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});
