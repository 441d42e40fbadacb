import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { LicenseProfileService } from './license-profile-service';

export const createLicenseProfile = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'createLicenseProfile',
    access: { permission: 'license-profiles:write', scope: 'project' },
    handle: async (input) => {
      const { licenseProfile, etag } = await licenseProfiles.create(
        input.params.projectId,
        input.body,
        changeOf(input),
      );
      return { status: 200, body: licenseProfile, headers: { ETag: etag } };
    },
  });
