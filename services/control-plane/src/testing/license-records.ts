import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { TestControlPlane } from './control-plane';
import { bearer, type TestTenant } from './records';

/** A license profile that can be created; `name` is unique in a project. */
export function newLicenseProfile(name: string): ControlPlaneSchemas['CreateLicenseProfileRequest'] {
  return {
    name,
    maximumHeight: 1080,
    tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
  };
}

/** Creates rights in the tenant's project and returns their id. */
export async function createRights(
  { api }: TestControlPlane,
  { key, projectId }: TestTenant,
  changes: Partial<ControlPlaneSchemas['CreateRightsRequest']> = {},
): Promise<string> {
  const created = await api
    .post(`/api/v1/management/projects/${projectId}/rights`)
    .set(bearer(key))
    .send({ name: 'Rental', ...changes })
    .expect(200);
  return created.body.rightsId;
}

/** Creates a license profile in the tenant's project and returns its id. */
export async function createLicenseProfile(
  { api }: TestControlPlane,
  { key, projectId }: TestTenant,
  name: string,
  changes: Partial<ControlPlaneSchemas['CreateLicenseProfileRequest']> = {},
): Promise<string> {
  const created = await api
    .post(`/api/v1/management/projects/${projectId}/license-profiles`)
    .set(bearer(key))
    .send({ ...newLicenseProfile(name), ...changes })
    .expect(200);
  return created.body.licenseProfileId;
}
