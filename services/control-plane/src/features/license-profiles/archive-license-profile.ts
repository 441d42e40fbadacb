import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { LicenseProfileService } from './license-profile-service';

export const archiveLicenseProfile = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'archiveLicenseProfile',
    access: { permission: 'license-profiles:write', scope: 'licenseProfile' },
    handle: async (input) => {
      await licenseProfiles.archive(input.params.licenseProfileId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
