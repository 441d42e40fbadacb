import { endpoint } from '../../access/endpoint';
import type { Database } from '../../database/database';
import { filterAndSort } from '../../records/filter-and-sort';
import type { LicenseProfileService } from './license-profile-service';

export const listLicenseProfiles = (licenseProfiles: LicenseProfileService, database: Database) =>
  endpoint({
    operationId: 'listLicenseProfiles',
    access: { permission: 'license-profiles:read', scope: 'project' },
    handle: async ({ params, query }) => {
      const { status = 'active', rightsId } = query;
      const found = await licenseProfiles.list(params.projectId, { status, rightsId });
      return { status: 200, body: await filterAndSort(database, found, query) };
    },
  });
