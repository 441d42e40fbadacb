import type {
  ApiClientDocument,
  ContentDocument,
  EndUserDocument,
  EnvironmentDocument,
  LicenseBackendDocument,
  LicenseProfileDocument,
  OrganizationDocument,
  ProjectDocument,
  PublishedDeployment,
  SubjectBuckets,
} from '@multi-drm/contracts';

/** Identifies one filling of Redis, and its buckets. A decision may be used only if Redis still has the same generation afterwards. */
export interface Generation {
  /** Changes when Redis was emptied. */
  id: string;
  /** The buckets of viewers. */
  buckets: SubjectBuckets;
}

/**
 * The documents that the control plane has published. A method returns null if the record does not exist or is no longer published, and
 * rejects with a problem if its document cannot be read or used.
 */
export interface Catalog {
  /** The document of the deployment, which says how much is published; null if nothing is. */
  deployment(): Promise<PublishedDeployment | null>;
  /** The generation of Redis. Rejects with the problem `service_unavailable` if there is none. */
  generation(): Promise<Generation>;
  /** The completeness mark of the project; null if there is none. */
  project(projectId: string): Promise<ProjectDocument | null>;
  organization(organizationId: string): Promise<OrganizationDocument | null>;
  environment(environmentId: string): Promise<EnvironmentDocument | null>;
  content(environmentId: string, contentId: string): Promise<ContentDocument | null>;
  licenseBackend(environmentId: string, drmSystem: string): Promise<LicenseBackendDocument | null>;
  licenseProfile(projectId: string, name: string): Promise<LicenseProfileDocument | null>;
  endUser(environmentId: string, subject: string): Promise<EndUserDocument | null>;
  apiClient(clientId: string): Promise<ApiClientDocument | null>;
}

/** A catalog that caches documents. */
export interface RereadingCatalog extends Catalog {
  /** Reads Redis. Throws the problem `service_unavailable` if Redis no longer has this generation. */
  requireGeneration(generation: Generation): Promise<void>;
  /** Reads Redis. Resolves to true if at least one project is complete, or if all records are published and there is no project. */
  somethingIsPublished(): Promise<boolean>;
  /**
   * Runs an attempt with cached documents. Before a refusal is returned, the cached documents that the attempt used are read again,
   * and if one has changed, the attempt runs again: a caller is never refused because of outdated documents. Incomplete documents
   * are not used; see `CompleteCatalog`. If Redis may have been emptied in the meantime, the refusal becomes the problem
   * `service_unavailable`. A success reads nothing more. A refusal is a problem that the attempt throws, or a result for which
   * `isRefusal` returns true. The attempt must be safe to run twice.
   */
  rereadBeforeRefusal<Result>(
    attempt: (catalog: Catalog) => Promise<Result>,
    isRefusal?: (result: Result) => boolean,
  ): Promise<Result>;
}
