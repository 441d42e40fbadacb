import { endpoint } from '../../access/endpoint';
import type { Database } from '../../database/database';
import { filterAndSort } from '../../records/filter-and-sort';
import type { ManagementKeyService } from './management-key-service';

export const listManagementKeys = (managementKeys: ManagementKeyService, database: Database) =>
  endpoint({
    operationId: 'listManagementKeys',
    access: { permission: 'management-keys:read', scope: 'organization' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await filterAndSort(database, await managementKeys.list(params.organizationId), query),
    }),
  });
