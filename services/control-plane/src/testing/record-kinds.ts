import type { TestControlPlane } from './control-plane';
import { bearer, createContent, type TestTenant } from './records';

/** A value for each path parameter of the document: one record of each kind that the tenant owns. */
export async function recordsOf(controlPlane: TestControlPlane, tenant: TestTenant): Promise<Record<string, string>> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await controlPlane.api
      .post(`/api/v1/management/${path}`)
      .set(bearer(tenant.key))
      .send(body)
      .expect(200);
    return answer.body;
  };
  const project = `projects/${tenant.projectId}`;
  const { userId = '' } = await post(`${project}/users`, { subject: 'student' });
  const { apiClientId = '' } = await post(`${project}/api-clients`, {
    name: 'Backend',
    permissions: ['sessions:read'],
  });
  const { rightsId = '' } = await post(`${project}/rights`, { name: 'Rental' });
  const { licenseProfileId = '' } = await post(`${project}/license-profiles`, {
    name: 'Premium',
    maximumHeight: 1080,
    tracks: [{ trackTypes: ['SD', 'HD'] }],
  });
  const { keyId = '' } = await post(`organizations/${tenant.organizationId}/management-keys`, {
    name: 'Another owner',
    role: 'owner',
  });
  return {
    organizationId: tenant.organizationId,
    projectId: tenant.projectId,
    environmentId: tenant.development,
    contentAssetId: await createContent(controlPlane, tenant),
    drmSystem: 'widevine',
    userId,
    apiClientId,
    rightsId,
    licenseProfileId,
    keyId,
  };
}
