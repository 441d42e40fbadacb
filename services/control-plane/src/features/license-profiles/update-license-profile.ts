import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { LicenseProfileService } from './license-profile-service';

export const updateLicenseProfile = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'updateLicenseProfile',
    access: { permission: 'license-profiles:write', scope: 'licenseProfile' },
    handle: async (input) => {
      const { params, body, request } = input;
      const ifMatch = request.get('If-Match');
      const { licenseProfile, etag } = await licenseProfiles.update(
        params.licenseProfileId,
        ifMatch,
        body,
        changeOf(input),
      );
      return { status: 200, body: licenseProfile, headers: { ETag: etag } };
    },
  });
