import { auditTrailOf } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { backends } from '../../testing/license-backends';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';
import { selfSignedCertificate } from './self-signed-certificate';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const url = (drmSystem: string) => `/api/v1/management/environments/${tenant.production}/drm-systems/${drmSystem}`;
const send = (method: 'get' | 'put' | 'patch' | 'delete', drmSystem = 'fairplay', key = tenant.key) =>
  controlPlane.api[method](url(drmSystem)).set(bearer(key));
const setEnabled = (enabled: boolean, drmSystem = 'fairplay') =>
  send('patch', drmSystem).set('If-Match', '*').send({ enabled });
const stored = (drmSystem = 'fairplay' as const) =>
  controlPlane.prisma.environmentDrmSystem.findUniqueOrThrow({
    where: { environmentId_drmSystem: { environmentId: tenant.production, drmSystem } },
  });
const trail = (drmSystem = 'fairplay' as const) => auditTrailOf(controlPlane, `${tenant.production}/${drmSystem}`);

/** FairPlay with a vendor's secrets and a certificate. */
async function configureFairPlay() {
  const { open, secret } = backends.doverunner;
  const certificate = selfSignedCertificate('Ours', controlPlane.clock.now);
  const body = { enabled: true, backend: { type: 'doverunner', ...open, ...secret }, certificate };
  return (await send('put').send(body).expect(200)).body;
}

test('PATCH pauses a DRM system and keeps its backend, secrets and certificate, and resumes it', async () => {
  const { warnings: _, updatedAt: _at, ...configured } = await configureFairPlay();
  const { backendSecrets } = await stored();
  expect(backendSecrets).toEqual({ siteKey: expect.any(String), accessKey: expect.any(String) });
  const wakes = controlPlane.wakes();
  const paused = await setEnabled(false).expect(200);
  expect(paused.body).toMatchObject({ ...configured, enabled: false, warnings: [] });
  expect(paused.headers.etag).toBe('"3"');
  expect(await stored()).toMatchObject({ enabled: false, backendSecrets, certificate: configured.certificate });
  expect(controlPlane.wakes()).toBe(wakes + 1);
  expect((await setEnabled(true).expect(200)).body).toMatchObject(configured);
  expect(await stored()).toMatchObject({ enabled: true, backendSecrets });
  expect((await trail()).slice(1)).toMatchObject([
    {
      action: 'drmSystem.update',
      details: { fields: ['enabled'] },
      before: { enabled: true },
      after: { enabled: false },
    },
    { action: 'drmSystem.update', before: { enabled: false }, after: { enabled: true } },
  ]);
});

test('PATCH takes only enabled, requires the ETag, and enables nothing without a license backend', async () => {
  await configureFairPlay();
  const patch = (body: object, etag = '*') => send('patch').set('If-Match', etag).send(body);
  expect((await patch({ enabled: false, backend: null }).expect(400)).body.errors).toHaveProperty('backend');
  expect((await patch({}).expect(400)).body.errors).toHaveProperty('enabled');
  expect((await patch({ enabled: false }, '"1"').expect(412)).body.code).toBe('precondition_failed');
  expect((await send('patch').send({ enabled: false }).expect(428)).body.code).toBe('precondition_required');
  expect((await stored()).enabled).toBe(true);
  const { body } = await setEnabled(true, 'widevine').expect(409);
  expect(body).toMatchObject({ code: 'conflict', detail: expect.stringContaining('configure it with PUT') });
});

test('a PUT without a backend does not delete stored secrets: the conflict names PATCH and DELETE', async () => {
  await configureFairPlay();
  const before = await stored();
  const { body } = await send('put').send({ enabled: false }).expect(409);
  expect(body.code).toBe('conflict');
  expect(body.detail).toMatch(/PATCH \{"enabled": false\} pauses .* keeps them; DELETE removes them/);
  expect(await stored()).toEqual(before);
  expect(await trail()).toHaveLength(1);
});

test('DELETE removes backend, secrets and certificate; repeating it does nothing', async () => {
  await configureFairPlay();
  await send('delete').set('If-Match', '"1"').expect(412);
  await send('delete').set('If-Match', '"2"').expect(204);
  expect(await stored()).toMatchObject({
    enabled: false,
    backend: null,
    backendSettings: null,
    backendSecrets: null,
    certificate: null,
    version: 3,
  });
  expect((await send('get').expect(200)).body).toMatchObject({ enabled: false, backend: null, certificate: null });
  await send('delete').set('If-Match', '"2"').expect(204);
  expect((await stored()).version).toBe(3);
  const events = await trail();
  expect(events.slice(1)).toMatchObject([
    {
      action: 'drmSystem.remove',
      details: { changedSecrets: ['siteKey', 'accessKey'] },
      before: { enabled: true, backend: { type: 'doverunner' } },
      after: { enabled: false, backend: null },
    },
  ]);
  await send('put').send({ enabled: false }).expect(200);
});

test('each change of a DRM system is published with its environment, and raises its version', async () => {
  await configureFairPlay();
  const entries = () =>
    controlPlane.prisma.outboxEntry.count({ where: { documentKind: 'environment', documentId: tenant.production } });
  const before = await entries();
  await setEnabled(false).expect(200);
  await send('delete').expect(204);
  expect(await entries()).toBe(before + 2);
  const environment = `/api/v1/management/environments/${tenant.production}`;
  expect((await controlPlane.api.get(environment).set(bearer(tenant.key))).headers.etag).toBe('"4"');
});

test('an editor may neither pause nor remove a DRM system', async () => {
  const editor = await createManagementKey(controlPlane, tenant.organizationId, { role: 'editor' });
  await send('patch', 'fairplay', editor).set('If-Match', '*').send({ enabled: false }).expect(403);
  await send('delete', 'fairplay', editor).expect(403);
});
