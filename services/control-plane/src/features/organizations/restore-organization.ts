import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { OrganizationService } from './organization-service';

export const restoreOrganization = (organizations: OrganizationService) =>
  endpoint({
    operationId: 'restoreOrganization',
    access: { permission: 'organizations:operate', scope: 'organization', restores: true },
    handle: async (input) => organizations.restore(input.params.organizationId, conditionalChangeOf(input)),
  });
