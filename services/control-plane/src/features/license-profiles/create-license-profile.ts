import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { LicenseProfileService } from './license-profile-service';

export const createLicenseProfile = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'createLicenseProfile',
    access: { permission: 'license-profiles:write', scope: 'project' },
    handle: async (input) => licenseProfiles.create(input.params.projectId, input.body, changeOf(input)),
  });
