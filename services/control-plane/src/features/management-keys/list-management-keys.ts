import { endpoint } from '../../access/endpoint';
import { narrowed } from '../../records/narrowed';
import type { ManagementKeyService } from './management-key-service';

export const listManagementKeys = (managementKeys: ManagementKeyService) =>
  endpoint({
    operationId: 'listManagementKeys',
    access: { permission: 'management-keys:read', scope: 'organization' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: narrowed(await managementKeys.list(params.organizationId), query),
    }),
  });
