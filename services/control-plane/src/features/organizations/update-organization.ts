import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { OrganizationService } from './organization-service';

export const updateOrganization = (organizations: OrganizationService) =>
  endpoint({
    operationId: 'updateOrganization',
    access: { permission: 'organizations:write', scope: 'organization' },
    handle: async (input) => {
      if (input.context?.kind !== 'operator') requireOwnFields(input.body);
      return organizations.update(input.params.organizationId, input.body, updateOf(input));
    },
  });

/** Throws `permission_denied`. */
function requireOwnFields(request: ControlPlaneSchemas['UpdateOrganizationRequest']): void {
  const refused = (['planId', 'status'] as const).filter((field) => request[field] !== undefined);
  if (refused.length === 0) return;
  throw new Problem('permission_denied', `Only the operator may change ${refused.join(' and ')}.`);
}
