import type { FeatureOptions } from '../feature-options';
import { archiveOrganization } from './archive-organization';
import { getOrganization } from './get-organization';
import { listOrganizations } from './list-organizations';
import { OrganizationService } from './organization-service';
import { restoreOrganization } from './restore-organization';
import { updateOrganization } from './update-organization';

/** The operations on organizations, with their service. */
export function organizationEndpoints(options: FeatureOptions) {
  const organizations = new OrganizationService(options);
  return [
    listOrganizations(organizations),
    getOrganization(organizations),
    updateOrganization(organizations),
    archiveOrganization(organizations),
    restoreOrganization(organizations),
  ];
}
