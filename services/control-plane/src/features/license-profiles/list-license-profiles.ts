import { endpoint } from '../../access/endpoint';
import type { Database } from '../../database/database';
import { filterAndSort } from '../../records/filter-and-sort';
import type { LicenseProfileService } from './license-profile-service';

export const listLicenseProfiles = (licenseProfiles: LicenseProfileService, database: Database) =>
  endpoint({
    operationId: 'listLicenseProfiles',
    access: { permission: 'license-profiles:read', scope: 'project' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await filterAndSort(
        database,
        await licenseProfiles.list(params.projectId, query.status ?? 'active'),
        query,
      ),
    }),
  });
