import { endpoint } from '../../access/endpoint';
import type { LicenseProfileService } from './license-profile-service';

export const getLicenseProfile = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'getLicenseProfile',
    access: { permission: 'license-profiles:read', scope: 'licenseProfile' },
    handle: async ({ params }) => licenseProfiles.read(params.licenseProfileId),
  });
