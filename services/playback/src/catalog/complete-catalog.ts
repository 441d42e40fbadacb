import type { ApiClientDocument, EnvironmentDocument, PublishedDeployment } from '@multi-drm/contracts';
import { notComplete } from './not-complete';
import { PublishedCatalog } from './published-catalog';

/**
 * Returns documents of complete projects only, because a missing document could lead to a wrong decision: a caller would be refused because
 * its environment is not published yet, or a blocked viewer would play because its document is not. Every request names an environment or
 * an API client. Reading one of these throws the problem `service_unavailable` if its project is not complete, or if it is missing and not
 * everything is published.
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
