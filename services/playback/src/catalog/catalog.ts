import type {
  ApiClientDocument,
  ContentDocument,
  EnvironmentDocument,
  OrganizationDocument,
} from '@multi-drm/contracts';

/** What the control plane has published. Null: there is no such record, or not any more. */
export interface Catalog {
  organization(organizationId: string): Promise<OrganizationDocument | null>;
  environment(environmentId: string): Promise<EnvironmentDocument | null>;
  content(environmentId: string, contentId: string): Promise<ContentDocument | null>;
  apiClient(clientId: string): Promise<ApiClientDocument | null>;
}
