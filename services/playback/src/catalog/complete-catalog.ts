import type { ApiClientDocument, DeploymentDocument, EnvironmentDocument } from '@multi-drm/contracts';
import { notComplete } from './not-complete';
import { PublishedCatalog } from './published-catalog';

/**
 * Published documents of complete projects alone, so that nothing is decided on what is missing by accident: neither is a
 * caller refused for an environment that is not back yet, nor does a blocked viewer play before its document is back. The
 * environment and the API client, of which every request names one, throw the Problem `service_unavailable` where their
 * project is not complete; where they are not there, unless all that exist are.
 */
export class CompleteCatalog extends PublishedCatalog {
  override async environment(environmentId: string): Promise<EnvironmentDocument | null> {
    return this.whole(super.environment(environmentId));
  }

  override async apiClient(clientId: string): Promise<ApiClientDocument | null> {
    return this.whole(super.apiClient(clientId));
  }

  private async whole<Document extends { projectId: string }>(
    reading: Promise<Document | null>,
  ): Promise<Document | null> {
    // In one round trip; the document is asked for first, so that what is said of it is no older.
    const [document, deployment] = await Promise.all([reading, this.deployment()]);
    const isWhole =
      document === null ? deployment?.published === 'all' : await this.isComplete(document.projectId, deployment);
    if (!isWhole) throw notComplete();
    return document;
  }

  private async isComplete(projectId: string, deployment: DeploymentDocument | null): Promise<boolean> {
    return deployment !== null && (await this.project(projectId))?.generation === deployment.generation;
  }
}
