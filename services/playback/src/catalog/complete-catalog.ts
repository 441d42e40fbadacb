import type { ApiClientDocument, EnvironmentDocument, PublishedDeployment } from '@multi-drm/contracts';
import { notComplete } from './not-complete';
import { PublishedCatalog } from './published-catalog';

/**
 * Returns only documents of complete projects, so that nothing is decided from accidentally missing documents: no caller is refused
 * because its environment is not published yet, and no blocked viewer plays before its document is published. Every request names an
 * environment or an API client. Reading these throws the problem `service_unavailable` if their project is not complete, or if they
 * are missing and not everything is published.
 */
export class CompleteCatalog extends PublishedCatalog {
  override environment(environmentId: string): Promise<EnvironmentDocument | null> {
    return this.ifComplete(super.environment(environmentId));
  }

  override apiClient(clientId: string): Promise<ApiClientDocument | null> {
    return this.ifComplete(super.apiClient(clientId));
  }

  private async ifComplete<Document extends { projectId: string }>(
    reading: Promise<Document | null>,
  ): Promise<Document | null> {
    // In one round trip. The document is read first, so that the completeness mark is not older than it.
    const [document, deployment] = await Promise.all([reading, this.deployment()]);
    if (!(await this.isCertain(document, deployment))) throw notComplete();
    return document;
  }

  private async isCertain(
    document: { projectId: string } | null,
    deployment: PublishedDeployment | null,
  ): Promise<boolean> {
    if (document === null) return deployment?.published === 'all';
    if (deployment === null) return false;
    const mark = await this.project(document.projectId);
    return mark?.generation === deployment.generation;
  }
}
