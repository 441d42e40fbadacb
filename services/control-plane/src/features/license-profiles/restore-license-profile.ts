import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { LicenseProfileService } from './license-profile-service';

export const restoreLicenseProfile = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'restoreLicenseProfile',
    access: { permission: 'license-profiles:write', scope: 'licenseProfile', restores: true },
    handle: async (input) => {
      const { licenseProfile, etag } = await licenseProfiles.restore(
        input.params.licenseProfileId,
        conditionalChangeOf(input),
      );
      return { status: 200, body: licenseProfile, headers: { ETag: etag } };
    },
  });
