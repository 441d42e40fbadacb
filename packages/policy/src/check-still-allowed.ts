import type { ContentDocument, EnvironmentDocument, OrganizationDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { outsideWindow } from './availability';
import { checkContentFound, checkEnvironmentDrmSystems, checkOrganization, checkPublished } from './check-eligibility';
import type { Refusal } from './decision-step';

interface CurrentSession {
  organization: OrganizationDocument | null;
  environment: EnvironmentDocument;
  content: ContentDocument | null;
  drmSystem: PlaybackSchemas['DrmSystem'];
  /** The availability window at the session's start, RFC 3339; null: not restricted. */
  availableFrom: string | null;
  availableUntil: string | null;
}

/**
 * Checks the conditions that can end an active session; changed policies and settings apply to new sessions only. Returns the
 * content, which exists, or the first refusal: `environment_suspended`, `content_not_found`, `content_not_published`,
 * `drm_system_not_supported` or `content_not_available`.
 */
export function checkStillAllowed(
  session: CurrentSession,
  now: Date,
): { outcome: 'passed'; content: ContentDocument } | Refusal {
  const organization = checkOrganization(session.organization);
  if (organization.outcome === 'refused') return organization;
  const content = checkContentFound(session.content);
  if (content.outcome === 'refused') return content;
  const published = checkPublished(content.found);
  if (published.outcome === 'refused') return published;
  const drmSystem = checkEnvironmentDrmSystems(session.drmSystem, session.environment);
  if (drmSystem.outcome === 'refused') return drmSystem;
  const reason = outsideWindow(session, now);
  if (reason !== null) return { outcome: 'refused', code: 'content_not_available', detail: reason };
  return { outcome: 'passed', content: content.found };
}
