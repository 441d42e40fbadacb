import type { ApiClientDocument, EnvironmentDocument, PublishedDeployment } from '@multi-drm/contracts';
import { type Awaitable, whenBothThere, whenThere } from './awaitable';
import { notComplete } from './not-complete';
import { PublishedCatalog } from './published-catalog';

/**
 * Returns only documents of complete projects, so that nothing is decided from accidentally missing documents: no caller is refused
 * because its environment is not published yet, and no blocked viewer plays before its document is published. Every request names an
 * environment or an API client. Reading these throws the problem `service_unavailable` if their project is not complete, or if they
 * are missing and not everything is published.
 */
export class CompleteCatalog extends PublishedCatalog {
  override environment(environmentId: string): Awaitable<EnvironmentDocument | null> {
    return this.ifComplete(super.environment(environmentId));
  }

  override apiClient(clientId: string): Awaitable<ApiClientDocument | null> {
    return this.ifComplete(super.apiClient(clientId));
  }

  private ifComplete<Document extends { projectId: string }>(
    reading: Awaitable<Document | null>,
  ): Awaitable<Document | null> {
    // In one round trip. The document is read first, so that the completeness mark is not older than it.
    return whenBothThere(reading, this.deployment(), (document, deployment) =>
      whenThere(this.isCertain(document, deployment), (isCertain) => {
        if (!isCertain) throw notComplete();
        return document;
      }),
    );
  }

  private isCertain(
    document: { projectId: string } | null,
    deployment: PublishedDeployment | null,
  ): Awaitable<boolean> {
    if (document === null) return deployment?.published === 'all';
    if (deployment === null) return false;
    return whenThere(this.project(document.projectId), (mark) => mark?.generation === deployment.generation);
  }
}
