import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const allow = (allowedOrigins: string[]) =>
  controlPlane.api
    .patch(`/api/v1/management/environments/${tenant.production}`)
    .set({ ...bearer(tenant.key), 'If-Match': '*' })
    .send({ settings: { allowedOrigins } });

test('origins of web pages, apps and local files are accepted as browsers and web views send them', async () => {
  const origins = [
    'https://shop.example',
    'http://localhost:3000',
    'http://127.0.0.1:8080',
    'http://[::1]:3000',
    'https://[2001:db8::1]',
    'capacitor://localhost',
    'ionic://localhost',
    'app://-',
    'com.example.tv://App_1:8080',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'file://',
    'null',
    '*',
  ];
  const { body } = await allow(origins).expect(200);
  expect(body.settings.allowedOrigins).toEqual(origins);
});

test.each([
  'shop.example',
  'https://Shop.example',
  'https://shop.example/',
  'https://shop.example:443',
  'https://shop.example:99999',
  'http://[::0001]',
  'http://[::1',
  'https://user@shop.example',
  'https://*.shop.example',
  'capacitor://localhost/',
  'capacitor://',
  'file:///app/index.html',
  'NULL',
  '',
  'javascript:alert(1)',
])('%j, which no browser sends, is rejected by name', async (origin) => {
  const { body } = await allow(['*', origin]).expect(400);
  expect(Object.keys(body.errors)).toEqual(['settings.allowedOrigins[1]']);
});
