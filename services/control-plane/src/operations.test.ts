import { type ControlPlaneOperations, controlPlaneDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from './testing/control-plane';
import { bearer, createContent, createTenant, newContent, newRegistration, type TestTenant } from './testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const key = () => bearer(tenant.key);

/** One successful call of each operation. The server holds each answer to the document. */
const calls: Record<keyof ControlPlaneOperations, () => Promise<Response>> = {
  getLiveness: async () => controlPlane.api.get('/api/v1/health/live'),
  getReadiness: async () => controlPlane.api.get('/api/v1/health/ready'),
  registerCompany: async () => controlPlane.api.post('/api/v1/organizations/registrations').send(newRegistration()),
  listProjects: async () =>
    controlPlane.api.get(`${management}/organizations/${tenant.organizationId}/projects`).set(key()),
  createProject: async () =>
    controlPlane.api
      .post(`${management}/organizations/${tenant.organizationId}/projects`)
      .set(key())
      .send({ name: 'Cinema', description: 'Films' }),
  listEnvironments: async () =>
    controlPlane.api.get(`${management}/projects/${tenant.projectId}/environments`).set(key()),
  getEnvironment: async () => controlPlane.api.get(`${management}/environments/${tenant.development}`).set(key()),
  updateEnvironment: async () =>
    controlPlane.api
      .patch(`${management}/environments/${tenant.development}`)
      .set(key())
      .set('If-Match', '*')
      .send({ settings: { maximumConcurrentStreams: null } }),
  listContentAssets: async () => {
    await createContent(controlPlane, tenant);
    return controlPlane.api.get(`${management}/environments/${tenant.development}/content`).set(key());
  },
  createContentAsset: async () =>
    controlPlane.api.post(`${management}/environments/${tenant.development}/content`).set(key()).send(newContent()),
  publishContentAsset: async () =>
    controlPlane.api.post(`${management}/content/${await createContent(controlPlane, tenant)}/publish`).set(key()),
  createApiClient: async () =>
    controlPlane.api
      .post(`${management}/projects/${tenant.projectId}/api-clients`)
      .set(key())
      .send({ name: 'Backend', permissions: ['license-tokens:create'] }),
};

test.each(operationsOf(controlPlaneDocument))('$operationId answers as documented', async (operation) => {
  const call = calls[operation.operationId as keyof ControlPlaneOperations];
  const response = await call();
  const { method, url } = response.request;
  expect(method).toBe(operation.method.toUpperCase());
  expect(new URL(url).pathname).toMatch(new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
  expect(response.body.code).toBeUndefined();
  expect(response.status).toBe(operation.operationId === 'registerCompany' ? 201 : 200);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
});

test('an ETag is the version of a record, and nothing else has one', async () => {
  expect((await calls.listProjects()).headers).not.toHaveProperty('etag');
  expect((await calls.getEnvironment()).headers).toHaveProperty('etag');
});

test('nothing is logged at warn or error while all is well', () => {
  expect(controlPlane.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});
