import {
  type ContentDocument,
  type EnvironmentDocument,
  type OrganizationDocument,
  type PlaybackSchemas,
  Problem,
} from '@multi-drm/contracts';
import { outsideWindow } from './availability';
import { checkContentFound, checkEnvironmentDrmSystems, checkOrganization, checkPublished } from './check-eligibility';

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
 * content, which exists.
 *
 * Throws the problem of the first check that fails: `environment_suspended`, `content_not_found`,
 * `content_not_published`, `drm_system_not_supported` or `content_not_available`.
 */
export function checkStillAllowed(session: CurrentSession, now: Date): ContentDocument {
  checkOrganization(session.organization);
  const { content } = checkContentFound(session.content);
  checkPublished(content);
  checkEnvironmentDrmSystems(session.drmSystem, session.environment);
  const reason = outsideWindow(session, now);
  if (reason !== null) throw new Problem('content_not_available', reason);
  return content;
}
