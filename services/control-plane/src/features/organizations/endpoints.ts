import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import { endpoint } from '../../access/endpoint';
import { pageOf } from '../../stores/page';
import { conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { OrganizationService } from './organization-service';

/** The operations on organizations, with their service. */
export function organizationEndpoints(options: FeatureOptions) {
  const organizations = new OrganizationService(options);
  return [
    endpoint({
      operationId: 'listOrganizations',
      access: { permission: 'organizations:read', scope: 'caller' },
      handle: async ({ query, context }) => ({
        status: 200,
        body: await organizations.list(context, query, pageOf(query)),
      }),
    }),
    endpoint({
      operationId: 'getOrganization',
      access: { permission: 'organizations:read', scope: 'organization' },
      handle: async ({ params }) => organizations.read(params.organizationId),
    }),
    endpoint({
      operationId: 'updateOrganization',
      access: { permission: 'organizations:write', scope: 'organization' },
      handle: async (input) => {
        if (input.context?.kind !== 'operator') requireOwnFields(input.body);
        return organizations.update(input.params.organizationId, input.body, updateOf(input));
      },
    }),
    endpoint({
      operationId: 'archiveOrganization',
      access: { permission: 'organizations:operate', scope: 'organization' },
      handle: async (input) => {
        await organizations.archive(input.params.organizationId, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
    endpoint({
      operationId: 'restoreOrganization',
      access: { permission: 'organizations:operate', scope: 'organization', restores: true },
      handle: async (input) => organizations.restore(input.params.organizationId, conditionalChangeOf(input)),
    }),
  ];
}

/** Throws `permission_denied`. */
function requireOwnFields(request: ControlPlaneSchemas['UpdateOrganizationRequest']): void {
  const refused = (['planId', 'status'] as const).filter((field) => request[field] !== undefined);
  if (refused.length === 0) return;
  throw new Problem('permission_denied', `Only the operator may change ${refused.join(' and ')}.`);
}
