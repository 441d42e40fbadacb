import type { ContentDocument, EnvironmentDocument } from '@multi-drm/contracts';
import { checkStillAllowed, type Refusal } from '@multi-drm/policy';
import type { Catalog } from '../catalog/catalog';
import type { LicenseTokenFields } from '../tokens/license-token';

type CurrentSession = Pick<LicenseTokenFields, 'environmentId' | 'contentId' | 'drmSystem' | 'policy'>;

/**
 * Loads the current environment and content of an active session, or returns a refusal if something has changed since its start so
 * that it may not continue; see `checkStillAllowed`.
 */
export async function loadActiveSession(
  catalog: Pick<Catalog, 'environment' | 'organization' | 'content'>,
  { environmentId, contentId, drmSystem, policy }: CurrentSession,
  now: Date,
): Promise<{ outcome: 'passed'; environment: EnvironmentDocument; content: ContentDocument } | Refusal> {
  const environment = await catalog.environment(environmentId);
  if (environment === null) {
    return { outcome: 'refused', code: 'environment_not_found', detail: 'The environment does not exist.' };
  }
  const [organization, content] = await Promise.all([
    catalog.organization(environment.organizationId),
    catalog.content(environmentId, contentId),
  ]);
  const { availableFrom = null, availableUntil = null } = policy;
  const session = { organization, environment, content, drmSystem, availableFrom, availableUntil };
  const allowed = checkStillAllowed(session, now);
  return allowed.outcome === 'refused' ? allowed : { ...allowed, environment };
}
