import { endpoint } from '../../access/endpoint';
import type { ManagementKeyService } from './management-key-service';

export const listManagementKeys = (managementKeys: ManagementKeyService) =>
  endpoint({
    operationId: 'listManagementKeys',
    access: { permission: 'management-keys:read', scope: 'organization' },
    handle: async ({ params }) => ({ status: 200, body: await managementKeys.list(params.organizationId) }),
  });
