import type {
  ApiClientDocument,
  ContentDocument,
  DeploymentDocument,
  EndUserDocument,
  EnvironmentDocument,
  LicenseBackendDocument,
  LicenseProfileDocument,
  OrganizationDocument,
  ProjectDocument,
} from '@multi-drm/contracts';

/** What the control plane has published. Null: there is no such record, or not any more. */
export interface Catalog {
  /** How far everything is published; null: nothing is. */
  deployment(): Promise<DeploymentDocument | null>;
  /** Of what Redis holds: another one once it was emptied. Throws the Problem `service_unavailable` where there is none. */
  generation(): Promise<string>;
  /** That everything of the project is published, of the generation that it names; null: nobody says so. */
  project(projectId: string): Promise<ProjectDocument | null>;
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
  /** Throws the Problem `service_unavailable` where Redis is not the one of this generation any more. Reads Redis. */
  requireGeneration(generation: string): Promise<void>;
  /** Whether any project is complete, or known to have nothing. Reads Redis. */
  somethingIsPublished(): Promise<boolean>;
  /**
   * Runs an attempt on what is in memory. Before it is refused, each document that it had from memory is read once more,
   * and where one of them has changed the attempt is run again: so nobody is refused for what has been mended before the
   * call. What is not wholly published is not believed: see `CompleteCatalog`. Nor is a refusal where Redis may have been
   * emptied meanwhile: then the Problem is `service_unavailable`. What succeeds reads nothing more. A refusal is a Problem
   * that the attempt throws, or a result that `isRefusal` says so of. The attempt must do no harm when it is run twice.
   */
  rereadBeforeRefusal<Result>(
    attempt: (catalog: Catalog) => Promise<Result>,
    isRefusal?: (result: Result) => boolean,
  ): Promise<Result>;
}
