import { endpoint } from '../../access/endpoint';
import { pageOf } from '../../stores/page';
import type { OrganizationService } from './organization-service';

export const listOrganizations = (organizations: OrganizationService) =>
  endpoint({
    operationId: 'listOrganizations',
    access: { permission: 'organizations:read', scope: 'caller' },
    handle: async ({ query, context }) => ({
      status: 200,
      body: await organizations.list(context, query, pageOf(query)),
    }),
  });
