import { endpoint } from '../../access/endpoint';
import type { OrganizationService } from './organization-service';

export const getOrganization = (organizations: OrganizationService) =>
  endpoint({
    operationId: 'getOrganization',
    access: { permission: 'organizations:read', scope: 'organization' },
    handle: async ({ params }) => organizations.read(params.organizationId),
  });
