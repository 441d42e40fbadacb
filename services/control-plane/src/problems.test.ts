import { randomUUID } from 'node:crypto';
import { controlPlaneProblems } from '@multi-drm/contracts';
import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from './testing/control-plane';
import {
  bearer,
  createManagementKey,
  createTenant,
  newContent,
  newRegistration,
  type TestTenant,
} from './testing/records';

const started: TestControlPlane[] = [];
let controlPlane: TestControlPlane;
let tenant: TestTenant;

async function start(options?: Parameters<typeof startControlPlane>[0]): Promise<TestControlPlane> {
  const another = await startControlPlane(options);
  started.push(another);
  return another;
}

beforeAll(async () => {
  controlPlane = await start();
  tenant = await createTenant(controlPlane);
});
afterAll(async () => {
  for (const { close } of started) await close();
});

const registrations = '/api/v1/organizations/registrations';
const management = '/api/v1/management';
const key = () => bearer(tenant.key);
const patch = () => controlPlane.api.patch(`${management}/environments/${tenant.development}`).set(key());
const change = { settings: { sessionLifetimeSeconds: 60 } };
/** Nothing listens there. */
const databaseUrl = 'postgresql://postgres@127.0.0.1:1/none';

/** How to meet each problem of the registry. */
const provocations: Record<keyof typeof controlPlaneProblems, () => Promise<Response>> = {
  invalid_request: async () => controlPlane.api.post(registrations).send({}),
  permission_denied: async () => {
    const viewer = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
    return controlPlane.api
      .post(`${management}/organizations/${tenant.organizationId}/projects`)
      .set(bearer(viewer))
      .send({ name: 'Cinema' });
  },
  route_not_found: async () => controlPlane.api.get(`${management}/nothing`).set(key()),
  method_not_allowed: async () => controlPlane.api.delete(registrations),
  request_too_large: async () => controlPlane.api.post(registrations).send({ companyName: 'x'.repeat(64 * 1024) }),
  unsupported_media_type: async () => controlPlane.api.post(registrations).type('text/plain').send('{}'),
  internal_error: async () => {
    const randomBytes = () => {
      throw new Error('secret of the machine');
    };
    return (await start({ randomBytes })).api.post(registrations).send(newRegistration());
  },
  service_unavailable: async () => (await start({ databaseUrl })).api.post(registrations).send(newRegistration()),
  authentication_required: async () =>
    controlPlane.api.get(`${management}/organizations/${tenant.organizationId}/projects`),
  not_found: async () => controlPlane.api.get(`${management}/environments/${randomUUID()}`).set(key()),
  conflict: async () => {
    const content = newContent();
    const create = () =>
      controlPlane.api.post(`${management}/environments/${tenant.development}/content`).set(key()).send(content);
    await create().expect(200);
    return create();
  },
  precondition_failed: async () => patch().set('If-Match', '"4711"').send(change),
  precondition_required: async () => patch().send(change),
  registration_paused: async () =>
    (await start({ environment: { REGISTRATION: 'paused' } })).api.post(registrations).send(newRegistration()),
};

test.each(Object.entries(controlPlaneProblems))('%s is answered as a problem document', async (code, definition) => {
  const provoke = provocations[code as keyof typeof controlPlaneProblems];
  const response = await provoke();
  expect(response.body).toMatchObject({
    ...definition,
    code,
    type: `urn:multi-drm:problem:${code}`,
    detail: expect.stringMatching(/^[A-Z].+\.$/),
    instance: new URL(response.request.url).pathname,
    requestId: response.headers['x-request-id'],
  });
  expect(response.status).toBe(definition.status);
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(Object.hasOwn(response.body, 'errors')).toBe(code === 'invalid_request');
});

test('a problem that may pass says after how many seconds to try again', async () => {
  for (const code of ['service_unavailable', 'registration_paused'] as const) {
    expect((await provocations[code]()).headers['retry-after']).toMatch(/^[1-9]\d*$/);
  }
});

test('a failure inside says nothing of itself to the caller, and is logged once with the request id', async () => {
  const response = await provocations.internal_error();
  expect(response.text).not.toContain('secret of the machine');
  const errors = started.at(-1)?.log.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(1);
  expect(errors?.[0]?.fields).toMatchObject({ requestId: response.body.requestId });
});

test('every route answers service_unavailable while the database is out of reach, but the probes', async () => {
  const { api } = await start({ databaseUrl });
  const response = await api.get(`${management}/environments/${tenant.development}`).set(key());
  expect(response.body).toMatchObject({ status: 503, code: 'service_unavailable', retryable: true });
  expect(response.headers['retry-after']).toBe('5');
  await api.get('/api/v1/health/live').expect(200);
  const readiness = await api.get('/api/v1/health/ready').expect(503);
  expect(readiness.body).toMatchObject({ status: 'not_ready', checks: { postgresql: { status: 'down' } } });
});

test('a route that takes another method names the methods it takes', async () => {
  const response = await provocations.method_not_allowed();
  expect(response.headers.allow).toBe('POST');
});
