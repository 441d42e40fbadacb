import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { controlPlaneProblems, Problem } from '@multi-drm/contracts';
import { answerClientError } from '@multi-drm/service-kit';
import { answerToHalfRequest, type HalfRequestAnswer } from '@multi-drm/test-kit';
import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from './testing/control-plane';
import { createLicenseProfile, createRights } from './testing/license-records';
import {
  bearer,
  createManagementKey,
  createTenant,
  newContent,
  newRegistration,
  type TestTenant,
} from './testing/records';

let controlPlane: TestControlPlane;
/** A control plane whose source of randomness fails. */
let broken: TestControlPlane;
/** A control plane whose database is unreachable: nothing listens there. */
let cutOff: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  broken = await startControlPlane({
    randomBytes: () => {
      throw new Error('secret of the machine');
    },
  });
  cutOff = await startControlPlane({ databaseUrl: 'postgresql://postgres@127.0.0.1:1/none' });
  tenant = await createTenant(controlPlane);
});

const registrations = '/api/v1/organizations/registrations';
const management = '/api/v1/management';
const key = () => bearer(tenant.key);
const patch = () => controlPlane.api.patch(`${management}/environments/${tenant.development}`).set(key());
const change = { settings: { sessionLifetimeSeconds: 60 } };

/** A way to trigger each problem of the registry. */
const provocations: Record<keyof typeof controlPlaneProblems, () => Promise<Response | HalfRequestAnswer>> = {
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
  request_timeout: async () => {
    const server = createServer({ requestTimeout: 100, connectionsCheckingInterval: 10 });
    return answerToHalfRequest(server.on('clientError', answerClientError()));
  },
  request_too_large: async () => controlPlane.api.post(registrations).send({ companyName: 'x'.repeat(64 * 1024) }),
  unsupported_media_type: async () => controlPlane.api.post(registrations).type('text/plain').send('{}'),
  internal_error: async () => broken.api.post(registrations).send(newRegistration()),
  service_unavailable: async () => cutOff.api.post(registrations).send(newRegistration()),
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
  idempotency_key_reused: async () => {
    const createKey = (name: string) =>
      controlPlane.api
        .post(`${management}/organizations/${tenant.organizationId}/management-keys`)
        .set(key())
        .set('Idempotency-Key', 'the-same')
        .send({ name, role: 'viewer' });
    await createKey('Reports').expect(200);
    return createKey('Statistics');
  },
  record_in_use: async () => {
    const rightsId = await createRights(controlPlane, tenant);
    await createLicenseProfile(controlPlane, tenant, 'Premium', { rightsId });
    return controlPlane.api.delete(`${management}/rights/${rightsId}`).set(key());
  },
  plan_limit_reached: async () => {
    // The plan allows three environments, of which a project has two.
    const create = () =>
      controlPlane.api
        .post(`${management}/projects/${tenant.projectId}/environments`)
        .set(key())
        .send({ kind: 'staging' });
    await create().expect(200);
    return create();
  },
  rate_limited: async () => {
    const refuse = async () => {
      throw new Problem('rate_limited', 'Too many registrations from this address.', {
        headers: { 'Retry-After': '60' },
      });
    };
    const busy = await startControlPlane({ registrationLimiter: { admit: refuse } });
    return busy.api.post(registrations).send(newRegistration());
  },
  precondition_failed: async () => patch().set('If-Match', '"4711"').send(change),
  precondition_required: async () => patch().send(change),
  registration_paused: async () =>
    (await startControlPlane({ environment: { REGISTRATION: 'paused' } })).api
      .post(registrations)
      .send(newRegistration()),
};

test.each(Object.entries(controlPlaneProblems))('%s is answered as a problem document', async (code, definition) => {
  const provoke = provocations[code as keyof typeof controlPlaneProblems];
  const { retryAfterSeconds: _default, ...shown } = definition;
  const response = await provoke();
  expect(response.body).toMatchObject({
    ...shown,
    code,
    type: `urn:multi-drm:problem:${code}`,
    detail: expect.stringMatching(/^[A-Z].+\.$/),
    instance: new URL(response.request.url).pathname,
    requestId: response.headers['x-request-id'],
  });
  expect(response.status).toBe(definition.status);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(/^[1-9]\d*$/.test(response.headers['retry-after'] ?? '')).toBe(definition.retryable);
  expect(Object.hasOwn(response.body, 'errors')).toBe(code === 'invalid_request');
});

test('an internal error reveals nothing to the caller, and is logged once with the request id', async () => {
  const response = await provocations.internal_error();
  expect(response.text).not.toContain('secret of the machine');
  expect(
    broken.log.filter(({ level, fields }) => level === 'error' && fields.requestId === response.body.requestId),
  ).toEqual([expect.objectContaining({ message: 'request failed' })]);
});

test('every route except the probes answers service_unavailable while the database is unavailable', async () => {
  const { api } = cutOff;
  const response = await api.get(`${management}/environments/${tenant.development}`).set(key());
  expect(response.body).toMatchObject({ status: 503, code: 'service_unavailable', retryable: true });
  expect(response.headers['retry-after']).toBe('5');
  await api.get('/api/v1/health/live').expect(200);
  const readiness = await api.get('/api/v1/health/ready').expect(503);
  expect(readiness.body).toMatchObject({ status: 'not_ready', checks: { postgresql: { status: 'down' } } });
});

test('a route called with another method lists the methods it accepts', async () => {
  const response = await provocations.method_not_allowed();
  expect(response.headers.allow).toBe('POST');
});
