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

/** A catalog that keeps documents in memory. */
export interface RereadingCatalog extends Catalog {
  /**
   * Runs an attempt on what is in memory. Before it is refused, each document that it had from memory is read once more,
   * and where one of them has changed the attempt is run again: so nobody is refused for what has been mended before the
   * call. What succeeds reads nothing more. A refusal is a Problem that the attempt throws, or a result that `isRefusal`
   * says so of. The attempt must do no harm when it is run twice.
   */
  rereadBeforeRefusal<Result>(
    attempt: (catalog: Catalog) => Promise<Result>,
    isRefusal?: (result: Result) => boolean,
  ): Promise<Result>;
}
