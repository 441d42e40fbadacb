import type { FeatureOptions } from '../feature-options';
import { archiveOrganization } from './archive-organization';
import { getOrganization } from './get-organization';
import { listOrganizations } from './list-organizations';
import { OrganizationService } from './organization-service';
import { OrganizationStore } from './organization-store';
import { restoreOrganization } from './restore-organization';
import { updateOrganization } from './update-organization';

/** The operations on organizations, with their service and store. */
export function organizationEndpoints({ prisma, publisher, now }: FeatureOptions) {
  const organizations = new OrganizationService({ store: new OrganizationStore(prisma), publisher, now });
  return [
    listOrganizations(organizations),
    getOrganization(organizations),
    updateOrganization(organizations),
    archiveOrganization(organizations),
    restoreOrganization(organizations),
  ];
}
