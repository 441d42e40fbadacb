import { type ContentDocument, type EnvironmentDocument, Problem } from '@multi-drm/contracts';
import type { Catalog } from '../../catalog/catalog';
import { checkStillAllowed } from '../../policy/check-still-allowed';
import type { LicenseTokenGrant } from '../../tokens/license-token';

type LivingSession = Pick<LicenseTokenGrant, 'environmentId' | 'contentId' | 'drmSystem' | 'policy'>;

/**
 * What a session that lives is about, as it is now. Throws the Problem of what has changed since its start so that it may
 * not go on; see `checkStillAllowed`.
 */
export async function loadLivingSession(
  catalog: Pick<Catalog, 'environment' | 'organization' | 'content'>,
  { environmentId, contentId, drmSystem, policy }: LivingSession,
  now: Date,
): Promise<{ environment: EnvironmentDocument; content: ContentDocument }> {
  const environment = await catalog.environment(environmentId);
  if (environment === null) throw new Problem('environment_not_found', 'There is no such environment.');
  const [organization, content] = await Promise.all([
    catalog.organization(environment.organizationId),
    catalog.content(environmentId, contentId),
  ]);
  const { availableFrom = null, availableUntil = null } = policy;
  const session = { organization, environment, content, drmSystem, availableFrom, availableUntil };
  return { environment, content: checkStillAllowed(session, now) };
}
