import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { LicenseProfileRecord } from '../stores/license-profiles';

/** The API representation of a license profile. */
export function licenseProfileResponse(profile: LicenseProfileRecord): ControlPlaneSchemas['LicenseProfileResponse'] {
  return {
    licenseProfileId: profile.id,
    projectId: profile.projectId,
    name: profile.name,
    description: profile.description,
    rightsId: profile.rightsId,
    maximumHeight: profile.maximumHeight,
    tracks: profile.tracks,
    status: profile.status,
    createdAt: profile.createdAt.toISOString(),
    updatedAt: profile.updatedAt.toISOString(),
  };
}
