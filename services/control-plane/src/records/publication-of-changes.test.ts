import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

/** The documents that the response was delayed for. */
async function waitedFor(method: 'post' | 'patch' | 'put' | 'delete', path: string, body: object) {
  controlPlane.waitedFor.length = 0;
  const response = await controlPlane.api[method](`/api/v1/management${path}`)
    .set({ ...bearer(tenant.key), 'If-Match': '*' })
    .send(body);
  expect(response.status).toBeLessThan(300);
  return { body: response.body, documents: [...controlPlane.waitedFor] };
}

const tracks = [{ trackTypes: ['SD'], widevine: { securityLevel: 1, hdcp: 'none' } }];
const manifests = [{ type: 'dash', url: 'https://cdn.example.com/a.mpd', drmSystems: ['widevine'] }];

test('creating, rotating and revoking an API client wait for the publication', async () => {
  const client = { name: 'Backend', permissions: ['sessions:read'] };
  const { body, documents } = await waitedFor('post', `/projects/${tenant.projectId}/api-clients`, client);
  const document = { documentKind: 'apiClient', documentId: body.apiClientId };
  expect(documents).toEqual([document]);
  expect((await waitedFor('post', `/api-clients/${body.apiClientId}/rotate`, {})).documents).toEqual([document]);
  expect((await waitedFor('delete', `/api-clients/${body.apiClientId}`, {})).documents).toEqual([document]);
});

test('registering, publishing and unpublishing content wait for the publication', async () => {
  const content = { contentId: 'lesson', kind: 'vod', title: 'Lesson', manifests };
  const { body, documents } = await waitedFor('post', `/environments/${tenant.development}/content`, content);
  const document = { documentKind: 'content', documentId: body.contentAssetId };
  expect(documents).toEqual([document]);
  expect((await waitedFor('post', `/content/${body.contentAssetId}/publish`, {})).documents).toEqual([document]);
  expect((await waitedFor('post', `/content/${body.contentAssetId}/unpublish`, {})).documents).toEqual([document]);
});

test('changing settings and DRM systems of an environment and creating a project wait for the publication', async () => {
  const document = { documentKind: 'environment', documentId: tenant.development };
  const settings = { settings: { maximumConcurrentStreams: 7 } };
  expect((await waitedFor('patch', `/environments/${tenant.development}`, settings)).documents).toEqual([document]);
  const widevine = { enabled: true, backend: { type: 'clearkey' } };
  const path = `/environments/${tenant.development}/drm-systems/widevine`;
  expect((await waitedFor('put', path, widevine)).documents).toEqual([document]);
  const project = await waitedFor('post', `/organizations/${tenant.organizationId}/projects`, { name: 'Second' });
  expect(project.documents.map(({ documentId }) => documentId).sort()).toEqual(
    project.body.environments.map(({ environmentId }: { environmentId: string }) => environmentId).sort(),
  );
});

test('changing a license profile waits for the publication, also if its rights change', async () => {
  const path = `/projects/${tenant.projectId}`;
  const rights = await waitedFor('post', `${path}/rights`, { name: 'Rental' });
  const { rightsId } = rights.body;
  const profile = { name: 'premium', maximumHeight: 576, tracks, rightsId };
  const { body, documents } = await waitedFor('post', `${path}/license-profiles`, profile);
  const document = { documentKind: 'licenseProfile', documentId: body.licenseProfileId };
  expect(documents).toEqual([document]);
  const limit = { maximumConcurrentStreams: 4 };
  expect((await waitedFor('patch', `/rights/${rightsId}`, limit)).documents).toEqual([document]);
});

test('changing a viewer waits for the publication, synchronizing one does not', async () => {
  const viewer = { subject: 'viewer-1' };
  const { body, documents } = await waitedFor('post', `/projects/${tenant.projectId}/users`, viewer);
  expect(documents).toEqual([]);
  const limit = { maximumConcurrentStreams: 4 };
  expect((await waitedFor('patch', `/users/${body.userId}`, limit)).documents).toEqual([
    { documentKind: 'endUser', documentId: body.userId },
  ]);
});

test('reading does not wait, and neither does a change without effect', async () => {
  const { body } = await waitedFor('post', `/environments/${tenant.development}/content`, {
    contentId: 'draft',
    kind: 'vod',
    title: 'Draft',
    manifests,
  });
  expect((await waitedFor('post', `/content/${body.contentAssetId}/unpublish`, {})).documents).toEqual([]);
  controlPlane.waitedFor.length = 0;
  await controlPlane.api.get(`/api/v1/management/content/${body.contentAssetId}`).set(bearer(tenant.key)).expect(200);
  expect(controlPlane.waitedFor).toEqual([]);
});
