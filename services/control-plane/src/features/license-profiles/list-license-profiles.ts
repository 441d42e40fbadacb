import { endpoint } from '../../access/endpoint';
import { filterAndSort } from '../../records/filter-and-sort';
import type { LicenseProfileService } from './license-profile-service';

export const listLicenseProfiles = (licenseProfiles: LicenseProfileService) =>
  endpoint({
    operationId: 'listLicenseProfiles',
    access: { permission: 'license-profiles:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: filterAndSort(await licenseProfiles.list(params.projectId, query.status ?? 'active'), query),
    }),
  });
