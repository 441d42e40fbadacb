import {
  type ApiClientDocument,
  apiClientDocument,
  type ContentDocument,
  contentDocument,
  type DeploymentDocument,
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
  projectDocument,
  publishedKeys,
} from '@multi-drm/contracts';
import type { ZodType } from 'zod';
import type { Catalog } from './catalog';
import { notComplete } from './not-complete';

/** Reads the document of a key of `publishedKeys`; null: there is none. */
export type ReadDocument = <Document>(key: string, schema: ZodType<Document>) => Promise<Document | null>;

/** Defines the key and schema of each document; `read` reads them. */
export class PublishedCatalog implements Catalog {
  constructor(private readonly read: ReadDocument) {}

  async deployment(): Promise<DeploymentDocument | null> {
    return ofPublishedFormat(await this.read(publishedKeys.deployment, deploymentDocument));
  }

  async generation(): Promise<string> {
    const deployment = await this.deployment();
    if (deployment === null) throw notComplete();
    return deployment.generation;
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

  endUser(environmentId: string, subject: string): Promise<EndUserDocument | null> {
    return this.read(publishedKeys.endUser(environmentId, subject), endUserDocument);
  }

  apiClient(clientId: string): Promise<ApiClientDocument | null> {
    return this.read(publishedKeys.apiClient(clientId), apiClientDocument);
  }
}
