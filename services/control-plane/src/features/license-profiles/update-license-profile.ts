import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { LicenseProfileService } from './license-profile-service';

export const updateLicenseProfile = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'updateLicenseProfile',
    access: { permission: 'license-profiles:write', scope: 'licenseProfile' },
    handle: async (input) => licenseProfiles.update(input.params.licenseProfileId, input.body, updateOf(input)),
  });
