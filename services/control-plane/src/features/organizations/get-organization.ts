import { endpoint } from '../../access/endpoint';
import type { OrganizationService } from './organization-service';

export const getOrganization = (organizations: OrganizationService) =>
  endpoint({
    operationId: 'getOrganization',
    access: { permission: 'organizations:read', scope: 'organization' },
    handle: async ({ params }) => {
      const { organization, etag } = await organizations.read(params.organizationId);
      return { status: 200, body: organization, headers: { ETag: etag } };
    },
  });
