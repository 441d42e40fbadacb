import { type ControlPlaneSchemas, controlPlaneDocument } from '@multi-drm/contracts';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';
import { secretSettings } from './backends';

type Configuration = ControlPlaneSchemas['ConfigureDrmSystemRequest'];

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const { put } = controlPlaneDocument.paths[
  '/api/v1/management/environments/{environmentId}/drm-systems/{drmSystem}'
] as unknown as {
  put: { requestBody: { content: { 'application/json': { examples: Record<string, { value: Configuration }> } } } };
};
const examples = Object.entries(put.requestBody.content['application/json'].examples).map(
  ([name, { value }]) => [name, value] as const,
);

test('the document has an example of every license backend', () => {
  const types = new Set(examples.map(([, { backend }]) => backend?.type));
  expect([...types].sort()).toEqual(Object.keys(secretSettings).sort());
});

test.each(examples)("the document's example %s is taken as it is", async (_name, value) => {
  const environment = value.backend?.type === 'clearkey' ? tenant.development : tenant.production;
  const drmSystem = value.certificate === undefined ? 'widevine' : 'fairplay';
  await controlPlane.api
    .put(`/api/v1/management/environments/${environment}/drm-systems/${drmSystem}`)
    .set(bearer(tenant.key))
    .send(value)
    .expect(200);
});
