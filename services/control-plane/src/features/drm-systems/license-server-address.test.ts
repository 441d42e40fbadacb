import { everyFake } from '@multi-drm/license-backends/testing';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const refusal = 'must have a public address, unless the operator of this service allows it (OUTBOUND_ALLOWED_HOSTS)';

function configure({ api }: TestControlPlane, { key }: TestTenant, environmentId: string, url: string) {
  const path = `/api/v1/management/environments/${environmentId}/drm-systems/widevine`;
  const backend = { type: 'http', url, responseFormat: 'raw' };
  return api.put(path).set(bearer(key)).send({ enabled: true, backend });
}
const put = (kind: 'development' | 'production', url: string) => configure(controlPlane, tenant, tenant[kind], url);

test.each([
  ...['https://10.0.0.1/', 'https://[::1]/', 'https://[::ffff:169.254.169.254]/', 'https://2130706434/'],
  ...['https://0/', 'https://192.168.1.1:8443/license'],
])('%s, which is not public, is rejected at once for every backend', async (address) => {
  for (const kind of ['development', 'production'] as const) {
    const { body } = await put(kind, address).expect(400);
    expect(body.errors).toEqual({ 'backend.url': [refusal] });
  }
});

test.each(everyFake.map(({ settings, drmSystem }) => ({ ...settings, drmSystem })))(
  'the backend $type may not use an address that is not public, for $drmSystem',
  async ({ drmSystem, ...settings }) => {
    const path = `/api/v1/management/environments/${tenant.development}/drm-systems/${drmSystem}`;
    for (const url of ['http://169.254.169.254/latest/', 'http://[fd00:ec2::254]/', 'http://0x7f000002/']) {
      const request = controlPlane.api.put(path).set(bearer(tenant.key));
      const { body } = await request.send({ enabled: true, backend: { ...settings, url } }).expect(400);
      expect(body.errors).toMatchObject({ 'backend.url': [refusal] });
    }
  },
);

test('an invalid license server address is reported with all other validation errors', async () => {
  const { body } = await put('production', 'http://10.0.0.1/').expect(400);
  expect(body.errors).toEqual({ 'backend.url': ['must be an https URL', refusal] });
});

test.each(['https://127.0.0.1/', 'https://localhost/', 'https://8.8.8.8/', 'https://drm.internal/'])(
  '%s, which is public, allowed or resolvable only by DNS, is accepted',
  async (address) => {
    await put('production', address).expect(200);
    await put('development', address.replace('https:', 'http:')).expect(200);
  },
);

test.each([
  ['', ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '127.0.0.1'], ['https://localhost.example/']],
  ['LocalHost', ['127.0.0.1', 'a.localhost'], ['https://localhost/', 'https://localhost.:8443/']],
  ['10.1.0.0/16', ['10.2.0.1', 'localhost'], ['https://10.1.2.3/']],
])('if the operator allows "%s", %j are rejected and %j are accepted', async (allowed, refused, taken) => {
  const other = await startControlPlane({ environment: { OUTBOUND_ALLOWED_HOSTS: allowed } });
  const company = await createTenant(other);
  const send = (url: string) => configure(other, company, company.development, url);
  for (const host of refused) {
    expect((await send(`http://${host}/`).expect(400)).body.errors).toEqual({ 'backend.url': [refusal] });
  }
  for (const address of taken) await send(address).expect(200);
});
