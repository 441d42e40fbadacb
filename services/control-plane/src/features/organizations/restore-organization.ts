import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { OrganizationService } from './organization-service';

export const restoreOrganization = (organizations: OrganizationService) =>
  endpoint({
    operationId: 'restoreOrganization',
    access: { permission: 'organizations:operate', scope: 'organization', restores: true },
    handle: async (input) => {
      const { organization, etag } = await organizations.restore(
        input.params.organizationId,
        conditionalChangeOf(input),
      );
      return { status: 200, body: organization, headers: { ETag: etag } };
    },
  });
