import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { OrganizationRecord } from '../stores/organizations';

/** An organization in lists. */
export function organizationSummary(
  organization: OrganizationRecord,
): ControlPlaneSchemas['OrganizationSummaryResponse'] {
  return {
    organizationId: organization.id,
    name: organization.companyName,
    country: organization.country,
    planId: organization.planId,
    status: organization.status,
    projectCount: organization._count.projects,
    createdAt: organization.createdAt.toISOString(),
  };
}

/** The API representation of a single organization. */
export function organizationResponse(organization: OrganizationRecord): ControlPlaneSchemas['OrganizationResponse'] {
  return {
    ...organizationSummary(organization),
    website: organization.website,
    registrationNumber: organization.registrationNumber,
    administrator: { name: organization.administratorName, email: organization.administratorEmail },
    agreement: {
      version: organization.agreementVersion,
      acceptedAt: organization.agreementAcceptedAt.toISOString(),
    },
    updatedAt: organization.updatedAt.toISOString(),
  };
}
