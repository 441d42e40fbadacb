import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { OrganizationService } from './organization-service';

export const updateOrganization = (organizations: OrganizationService) =>
  endpoint({
    operationId: 'updateOrganization',
    access: { permission: 'organizations:write', scope: 'organization' },
    handle: async (input) => {
      const { params, body, request } = input;
      const ifMatch = request.get('If-Match');
      const updated = await organizations.update(params.organizationId, ifMatch, body, changeOf(input));
      return { status: 200, body: updated.organization, headers: { ETag: updated.etag } };
    },
  });
