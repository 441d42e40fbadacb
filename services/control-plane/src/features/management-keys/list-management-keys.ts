import { endpoint } from '../../access/endpoint';
import { filterAndSort } from '../../records/filter-and-sort';
import type { ManagementKeyService } from './management-key-service';

export const listManagementKeys = (managementKeys: ManagementKeyService) =>
  endpoint({
    operationId: 'listManagementKeys',
    access: { permission: 'management-keys:read', scope: 'organization' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: filterAndSort(await managementKeys.list(params.organizationId), query),
    }),
  });
