import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { OrganizationService } from './organization-service';

export const archiveOrganization = (organizations: OrganizationService) =>
  endpoint({
    operationId: 'archiveOrganization',
    access: { permission: 'organizations:operate', scope: 'organization' },
    handle: async (input) => {
      await organizations.archive(input.params.organizationId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
