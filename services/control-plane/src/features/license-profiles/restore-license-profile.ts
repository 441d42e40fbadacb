import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { LicenseProfileService } from './license-profile-service';

export const restoreLicenseProfile = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'restoreLicenseProfile',
    access: { permission: 'license-profiles:write', scope: 'licenseProfile', restores: true },
    handle: async (input) => licenseProfiles.restore(input.params.licenseProfileId, conditionalChangeOf(input)),
  });
