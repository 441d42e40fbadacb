import {
  type ApiClientDocument,
  apiClientDocument,
  asPublishedDeployment,
  type ContentDocument,
  contentDocument,
  deploymentDocument,
  type EndUserDocument,
  type EnvironmentDocument,
  endUserDocument,
  environmentDocument,
  type LicenseBackendDocument,
  type LicenseProfileDocument,
  licenseBackendDocument,
  licenseProfileDocument,
  type OrganizationDocument,
  organizationDocument,
  type ProjectDocument,
  type PublishedDeployment,
  projectDocument,
  publishedKeys,
  SubjectBuckets,
} from '@multi-drm/contracts';
import type { ZodType } from 'zod';
import type { Catalog, Generation } from './catalog';
import { notComplete } from './not-complete';

/** Reads the document of a key of `publishedKeys`; null: there is none. */
export type ReadDocument = <Document>(key: string, schema: ZodType<Document>) => Promise<Document | null>;

/** Returns the generation of a deployment. Throws the problem `service_unavailable` if there is none. */
export function generationOf(deployment: PublishedDeployment | null): Generation {
  if (deployment === null) throw notComplete();
  return { id: deployment.generation, buckets: new SubjectBuckets(deployment.subjectHashKey) };
}

/** Defines the key and schema of each document; `read` reads them. */
export class PublishedCatalog implements Catalog {
  constructor(private readonly read: ReadDocument) {}

  async deployment(): Promise<PublishedDeployment | null> {
    return asPublishedDeployment(await this.read(publishedKeys.deployment, deploymentDocument));
  }

  async generation(): Promise<Generation> {
    return generationOf(await this.deployment());
  }

  project(projectId: string): Promise<ProjectDocument | null> {
    return this.read(publishedKeys.project(projectId), projectDocument);
  }

  organization(organizationId: string): Promise<OrganizationDocument | null> {
    return this.read(publishedKeys.organization(organizationId), organizationDocument);
  }

  environment(environmentId: string): Promise<EnvironmentDocument | null> {
    return this.read(publishedKeys.environment(environmentId), environmentDocument);
  }

  content(environmentId: string, contentId: string): Promise<ContentDocument | null> {
    return this.read(publishedKeys.content(environmentId, contentId), contentDocument);
  }

  licenseBackend(environmentId: string, drmSystem: string): Promise<LicenseBackendDocument | null> {
    return this.read(publishedKeys.licenseBackend(environmentId, drmSystem), licenseBackendDocument);
  }

  licenseProfile(projectId: string, name: string): Promise<LicenseProfileDocument | null> {
    return this.read(publishedKeys.licenseProfile(projectId, name), licenseProfileDocument);
  }

  async endUser(environmentId: string, subject: string): Promise<EndUserDocument | null> {
    const { buckets } = await this.generation();
    return this.read(publishedKeys.endUser(environmentId, buckets.hashOf(environmentId, subject)), endUserDocument);
  }

  apiClient(clientId: string): Promise<ApiClientDocument | null> {
    return this.read(publishedKeys.apiClient(clientId), apiClientDocument);
  }
}
