import { controlPlaneDocument, secretPlaces } from '@multi-drm/contracts';
import { backendDescriptors } from '@multi-drm/license-backends';
import { Secrets } from '@multi-drm/service-kit';
import { auditTrailOf } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { backends, type Vendor } from '../../testing/license-backends';
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

type DrmSystem = 'widevine' | 'playready' | 'fairplay' | 'wiseplay';
const every: DrmSystem[] = ['widevine', 'playready', 'fairplay', 'wiseplay'];
const url = (drmSystem: string, environmentId: string) =>
  `/api/v1/management/environments/${environmentId}/drm-systems/${drmSystem}`;
const read = (drmSystem: string, environmentId = tenant.production) =>
  controlPlane.api.get(url(drmSystem, environmentId)).set(bearer(tenant.key));
const configure = (drmSystem: string, body: object, environmentId = tenant.production) =>
  controlPlane.api.put(url(drmSystem, environmentId)).set(bearer(tenant.key)).send(body);

const request = (type: Vendor, changes: object = {}) => ({
  enabled: true,
  backend: { type, ...backends[type].open, ...backends[type].secret, ...changes },
});

test.each([
  ['development', { enabled: true, backend: { type: 'clearkey' } }],
  ['production', { enabled: false, backend: null }],
] as const)('the DRM systems of a %s environment have their initial settings', async (kind, settings) => {
  for (const drmSystem of every) {
    const { body, headers } = await read(drmSystem, tenant[kind]).expect(200);
    const certificate = kind === 'development' && drmSystem === 'fairplay' ? expect.any(String) : null;
    expect(body).toEqual({ drmSystem, ...settings, certificate, updatedAt: controlPlane.clock.now.toISOString() });
    expect(headers.etag).toBe('"1"');
  }
});

describe.each(Object.keys(backends) as Vendor[])('the backend %s', (type) => {
  const { open, secret } = backends[type];
  const { systems } = backendDescriptors[type];
  const [served = 'widevine'] = systems;
  const secretTexts = Object.values(secret).flatMap((value) =>
    typeof value === 'string' ? [value] : Object.values(value as object),
  );

  test('shows its settings without the secrets, which are stored encrypted', async () => {
    const { body, headers } = await configure(served, request(type)).expect(200);
    expect(body).toMatchObject({ drmSystem: served, enabled: true, certificate: null });
    expect(body.backend).toEqual({ type, ...open });
    expect(headers.etag).toBe('"2"');
    const { warnings, ...shown } = body;
    expect(warnings).toEqual([]);
    const again = await read(served).expect(200);
    expect(again.body).toEqual(shown);
    expect(again.headers.etag).toBe('"2"');

    const rows = JSON.stringify([
      await controlPlane.prisma.environmentDrmSystem.findMany({ where: { environmentId: tenant.production } }),
      await controlPlane.prisma.auditEvent.findMany({ where: { organizationId: tenant.organizationId } }),
      controlPlane.log,
    ]);
    expect(secretTexts.length).toBeGreaterThan(0);
    for (const text of secretTexts) expect(rows).not.toContain(text);
  });

  test('stores each secret so that it can be decrypted only in its own place', async () => {
    await configure(served, request(type)).expect(200);
    const stored = await controlPlane.prisma.environmentDrmSystem.findUniqueOrThrow({
      where: { environmentId_drmSystem: { environmentId: tenant.production, drmSystem: served } },
    });
    const secrets = new Secrets([{ id: 'tests', key: Buffer.alloc(32, 7) }]);
    const decrypted = Object.entries(stored.backendSecrets as Record<string, string>).map(([name, text]) => [
      name,
      secrets.decrypt(secretPlaces.licenseBackend(tenant.production, served, name), text),
    ]);
    expect(Object.fromEntries(decrypted)).toEqual(
      Object.fromEntries(
        Object.entries(secret).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ),
    );
  });

  test('requires all of its settings', async () => {
    const { body } = await configure(served, { enabled: true, backend: { type } }).expect(400);
    const issues = backendDescriptors[type].settings.safeParse({ type }).error?.issues ?? [];
    expect(Object.keys(body.errors).sort()).toEqual(issues.map(({ path }) => `backend.${String(path[0])}`).sort());
    expect(issues.length).toBeGreaterThan(1);
  });

  test('rejects the settings of other backends', async () => {
    const { body } = await configure(served, request(type, { nonsense: 'x' })).expect(400);
    expect(Object.keys(body.errors)).toEqual(['backend.nonsense']);
  });

  test('requires an https address, except in development', async () => {
    const insecure = request(type, { url: 'http://license.example.com/' });
    const { body } = await configure(served, insecure).expect(400);
    expect(body.errors).toEqual({ 'backend.url': ['must be an https URL'] });
    await configure(served, insecure, tenant.development).expect(200);
  });

  test('is accepted only for the DRM systems that it serves', async () => {
    for (const drmSystem of every) {
      const { status, body } = await configure(drmSystem, request(type));
      if (systems.includes(drmSystem)) expect(status).toBe(200);
      else expect(body.errors).toEqual({ 'backend.type': [`does not serve ${drmSystem}`] });
    }
  });
});

test('clearkey serves every DRM system, but only in development', async () => {
  const clearkey = { enabled: true, backend: { type: 'clearkey' } };
  for (const drmSystem of every) {
    await configure(drmSystem, clearkey, tenant.development).expect(200);
    const { body } = await configure(drmSystem, clearkey).expect(400);
    expect(body.errors).toEqual({ 'backend.type': ['is only for development environments'] });
  }
});

test('configuring a DRM system replaces all of it, including secrets and certificate', async () => {
  const certificate = selfSignedCertificate('Ours', controlPlane.clock.now);
  await configure('fairplay', { ...request('doverunner'), certificate }).expect(200);
  const { secretHeaders: _, ...backend } = request('http').backend as Record<string, unknown>;
  const { body, headers } = await configure('fairplay', { enabled: false, backend }).expect(200);
  expect(body).toMatchObject({ enabled: false, backend: { type: 'http' }, certificate: null });
  expect(headers.etag).toBe('"3"');
  const stored = await controlPlane.prisma.environmentDrmSystem.findUniqueOrThrow({
    where: { environmentId_drmSystem: { environmentId: tenant.production, drmSystem: 'fairplay' } },
  });
  expect(stored.backendSecrets).toBeNull();
  await configure('fairplay', { enabled: false }).expect(200); // nothing is lost that an administrator cannot read
});

test('a change appears in the environment, adds an outbox entry and is audited by field names', async () => {
  await controlPlane.prisma.outboxEntry.deleteMany();
  const wakes = controlPlane.wakes();
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1_000);
  const { body } = await configure('widevine', request('axinom'), tenant.production.toUpperCase()).expect(200);
  expect(body.updatedAt).toBe(controlPlane.clock.now.toISOString());
  expect(await controlPlane.prisma.outboxEntry.findMany()).toMatchObject([
    { documentKind: 'environment', documentId: tenant.production },
  ]);
  expect(controlPlane.wakes()).toBe(wakes + 1);
  expect(await auditTrailOf(controlPlane, `${tenant.production}/widevine`)).toMatchObject([
    {
      organizationId: tenant.organizationId,
      action: 'drmSystem.configure',
      recordType: 'drmSystem',
      details: { fields: ['enabled', 'backend'] },
    },
  ]);
  const environment = await controlPlane.api
    .get(`/api/v1/management/environments/${tenant.production}`)
    .set(bearer(tenant.key))
    .expect(200);
  expect(environment.headers.etag).toBe('"2"');
  expect(environment.body.drmSystems[0]).toEqual({ drmSystem: 'widevine', enabled: true, backend: 'axinom' });
});

describe('the headers of a backend', () => {
  test.each([
    'Host',
    'content-length',
    'Connection',
    'Keep-Alive',
    'Proxy-Authenticate',
    'Proxy-Authorization',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Accept-Encoding',
    'Content-Encoding',
    'Upgrade',
    'Expect',
  ])('cannot be %s', async (name) => {
    const headers = { [name]: 'x' };
    const { body } = await configure('widevine', request('http', { headers, secretHeaders: headers })).expect(400);
    expect(Object.keys(body.errors)).toEqual([`backend.headers.${name}`, `backend.secretHeaders.${name}`]);
    const policy = await configure('widevine', request('http', { policyHeader: name })).expect(400);
    expect(Object.keys(policy.body.errors)).toEqual(['backend.policyHeader']);
  });

  test.each([
    [{ headers: { 'X Tenant': 'x' } }, 'backend.headers.X Tenant'],
    [{ headers: { '': 'x' } }, 'backend.headers.'],
    [{ headers: { 'X-Tenant': 'a\r\nX-Other: b' } }, 'backend.headers.X-Tenant'],
    [{ secretHeaders: { 'X-Key': 'schlüssel' } }, 'backend.secretHeaders.X-Key'],
    [{ secretHeaders: { 'x-tenant': 'again' } }, 'backend.secretHeaders.x-tenant'],
    [{ policyHeader: 'X-TENANT' }, 'backend.policyHeader'],
  ])('%j are rejected, naming %s', async (changes, field) => {
    const { body } = await configure('widevine', request('http', changes)).expect(400);
    expect(Object.keys(body.errors)).toEqual([field]);
  });
});

test.each([
  [{ enabled: true }, ['backend']],
  [{ enabled: 'yes' }, ['enabled']],
  [{ enabled: false, backend: { type: 'vendor' } }, ['backend.type']],
  [{ enabled: false, backend: {} }, ['backend.type']],
  [{ enabled: false, secret: 'x' }, ['secret']],
  [{ ...request('axinom', { communicationKey: 'short' }) }, ['backend.communicationKey']],
  [{ ...request('drmtoday', { sharedSecret: 'no hex' }) }, ['backend.sharedSecret']],
  [{ ...request('doverunner', { url: 'https://user:password@license.example.com/' }) }, ['backend.url']],
  [
    { ...request('widevine-proxy', { url: 'http://a.example/' }), certificate: 'AAAA' },
    ['backend.type', 'backend.url', 'certificate'],
  ],
])('the settings %j of PlayReady are rejected, naming %j, and change nothing', async (body, fields) => {
  const refused = await configure('playready', body).expect(400);
  expect(Object.keys(refused.body.errors).sort()).toEqual(fields);
  expect((await read('playready')).headers.etag).toBe('"1"');
});

test('an invalid setting of a backend is explained, without mentioning other backends', async () => {
  const messages = async (backend: object) =>
    (await configure('widevine', { enabled: true, backend }).expect(400)).body.errors;
  const { LicenseBackendType } = controlPlaneDocument.components.schemas as { LicenseBackendType: { enum: string[] } };
  expect(await messages({ type: 'vendor' })).toEqual({
    'backend.type': [`must be one of ${LicenseBackendType.enum.join(', ')}`],
  });
  expect(await messages({ ...request('axinom').backend, communicationKey: 'short', siteId: 'x' })).toEqual({
    'backend.communicationKey': ['must be 32 bytes in base64, which are 44 characters'],
    'backend.siteId': ['is not a known field'],
  });
});

test('an unknown DRM system is not a route', async () => {
  expect((await read('primetime').expect(404)).body.code).toBe('route_not_found');
  expect((await configure('primetime', {}).expect(404)).body.code).toBe('route_not_found');
  const test = controlPlane.api.post(`${url('primetime', tenant.production)}/test`).set(bearer(tenant.key));
  expect((await test.expect(404)).body.code).toBe('route_not_found');
});

test('an editor can read the settings but not change them', async () => {
  const editor = bearer(await createManagementKey(controlPlane, tenant.organizationId, { role: 'editor' }));
  await controlPlane.api.get(url('widevine', tenant.production)).set(editor).expect(200);
  await controlPlane.api.put(url('widevine', tenant.production)).set(editor).send({ enabled: false }).expect(403);
});

test('the DRM systems of an archived environment cannot be changed', async () => {
  const environment = `/api/v1/management/environments/${tenant.production}`;
  await controlPlane.api.delete(environment).set(bearer(tenant.key)).expect(204);
  await configure('widevine', { enabled: false }).expect(409);
  await read('widevine').expect(200);
});

test('without secret keys in the settings, only configurations without secrets are accepted', async () => {
  const keyless = await startControlPlane({ environment: { SECRET_KEYS: '' } });
  const other = await createTenant(keyless);
  const put = (body: object) => keyless.api.put(url('widevine', other.production)).set(bearer(other.key)).send(body);
  const { body } = await put(request('axinom')).expect(503);
  expect(body).toMatchObject({ code: 'service_unavailable', detail: expect.stringContaining('SECRET_KEYS') });
  const { secretHeaders: _, ...open } = request('http').backend as Record<string, unknown>;
  await put({ enabled: true, backend: open }).expect(200);
});
