import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';

let controlPlane: TestControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({
    environment: { SERVICE_AGREEMENT_VERSION: '2027-01', SERVICE_AGREEMENT_URL: 'https://example.com/agreement' },
  });
});

test('the plan catalog lists the limits of each plan, and which ones a company may choose', async () => {
  const { body } = await controlPlane.api.get('/api/v1/plans').expect(200);
  const { plans } = body as ControlPlaneSchemas['PlanCatalogResponse'];
  expect(plans.filter(({ selfService }) => selfService).map(({ planId }) => planId)).toEqual(['developer', 'business']);
  expect(plans[0]?.limits).toEqual({
    projects: 20,
    environmentsPerProject: 3,
    contentAssets: 1_000,
    concurrentStreams: 100,
  });
});

test('the capabilities list each DRM system with its system id, key systems and schemes', async () => {
  const { body } = await controlPlane.api.get('/api/v1/platform/capabilities').expect(200);
  const { drmSystems, serviceAgreement } = body as ControlPlaneSchemas['PlatformCapabilitiesResponse'];
  expect(drmSystems.find(({ drmSystem }) => drmSystem === 'fairplay')).toMatchObject({
    systemId: '94ce86fb-07ff-4f43-adb8-93d2fa968ca2',
    keySystems: ['com.apple.fps'],
    encryptionSchemes: ['cbcs'],
  });
  expect(serviceAgreement).toEqual({ version: '2027-01', url: 'https://example.com/agreement' });
});

// RFC 9112, section 3.2.2.
test.each(['http://control-plane.example.com', 'HTTPS://proxy:8443'])(
  'a target in absolute form is served: %s',
  async (origin) => {
    const { port } = new URL(controlPlane.api.get('/').url);
    const sent = get({ port, path: `${origin}/api/v1/plans?limit=1`, agent: false });
    const [refused] = (await once(sent, 'response')) as [IncomingMessage];
    expect(refused.resume().statusCode).toBe(400); // an unknown query parameter
    const [response] = (await once(get({ port, path: `${origin}/api/v1/plans`, agent: false }), 'response')) as [
      IncomingMessage,
    ];
    expect(response.resume().statusCode).toBe(200);
  },
);
