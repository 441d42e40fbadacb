import type {
  ApiClientDocument,
  ContentDocument,
  EndUserDocument,
  EnvironmentDocument,
  LicenseBackendDocument,
  LicenseProfileDocument,
  OrganizationDocument,
} from '@multi-drm/contracts';

/** What the control plane has published. Null: there is no such record, or not any more. */
export interface Catalog {
  organization(organizationId: string): Promise<OrganizationDocument | null>;
  environment(environmentId: string): Promise<EnvironmentDocument | null>;
  content(environmentId: string, contentId: string): Promise<ContentDocument | null>;
  licenseBackend(environmentId: string, drmSystem: string): Promise<LicenseBackendDocument | null>;
  licenseProfile(projectId: string, name: string): Promise<LicenseProfileDocument | null>;
  endUser(environmentId: string, subject: string): Promise<EndUserDocument | null>;
  apiClient(clientId: string): Promise<ApiClientDocument | null>;
}
