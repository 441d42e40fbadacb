import {
  type ApiClientDocument,
  apiClientDocument,
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
  ofPublishedFormat,
  organizationDocument,
  type ProjectDocument,
  type PublishedDeployment,
  projectDocument,
  publishedKeys,
  SubjectBuckets,
} from '@multi-drm/contracts';
import type { ZodType } from 'zod';
import { type Awaitable, whenThere } from './awaitable';
import type { Catalog, Generation } from './catalog';
import { notComplete } from './not-complete';

/** Reads the document of a key of `publishedKeys`, at once if it is in memory; null: there is none. */
export type ReadDocument = <Document>(key: string, schema: ZodType<Document>) => Awaitable<Document | null>;

/** Returns the generation of a deployment. Throws the problem `service_unavailable` if there is none. */
export function generationOf(deployment: PublishedDeployment | null): Generation {
  if (deployment === null) throw notComplete();
  return { id: deployment.generation, buckets: new SubjectBuckets(deployment.subjectHashKey) };
}

/** Defines the key and schema of each document; `read` reads them. */
export class PublishedCatalog implements Catalog {
  constructor(private readonly read: ReadDocument) {}

  deployment(): Awaitable<PublishedDeployment | null> {
    return whenThere(this.read(publishedKeys.deployment, deploymentDocument), ofPublishedFormat);
  }

  generation(): Awaitable<Generation> {
    return whenThere(this.deployment(), generationOf);
  }

  project(projectId: string): Awaitable<ProjectDocument | null> {
    return this.read(publishedKeys.project(projectId), projectDocument);
  }

  organization(organizationId: string): Awaitable<OrganizationDocument | null> {
    return this.read(publishedKeys.organization(organizationId), organizationDocument);
  }

  environment(environmentId: string): Awaitable<EnvironmentDocument | null> {
    return this.read(publishedKeys.environment(environmentId), environmentDocument);
  }

  content(environmentId: string, contentId: string): Awaitable<ContentDocument | null> {
    return this.read(publishedKeys.content(environmentId, contentId), contentDocument);
  }

  licenseBackend(environmentId: string, drmSystem: string): Awaitable<LicenseBackendDocument | null> {
    return this.read(publishedKeys.licenseBackend(environmentId, drmSystem), licenseBackendDocument);
  }

  licenseProfile(projectId: string, name: string): Awaitable<LicenseProfileDocument | null> {
    return this.read(publishedKeys.licenseProfile(projectId, name), licenseProfileDocument);
  }

  endUser(environmentId: string, subject: string): Awaitable<EndUserDocument | null> {
    return whenThere(this.generation(), ({ buckets }) => {
      const subjectHash = buckets.hashOf(environmentId, subject);
      return this.read(publishedKeys.endUser(environmentId, subjectHash), endUserDocument);
    });
  }

  apiClient(clientId: string): Awaitable<ApiClientDocument | null> {
    return this.read(publishedKeys.apiClient(clientId), apiClientDocument);
  }
}
