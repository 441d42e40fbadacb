import type {
  ContentDocument,
  EndUserDocument,
  EnvironmentDocument,
  OrganizationDocument,
  PlaybackSchemas,
} from '@multi-drm/contracts';
import { type Checked, type Found, passed, refused } from './decision-step';

export type EligibilityRequest = Pick<
  PlaybackSchemas['CreatePlaybackSessionRequest'],
  'contentType' | 'drmSystem' | 'playbackMode' | 'platformCapabilities'
>;

/**
 * The checks whether a request may play the content in the environment, in order: the request itself first, then the environment,
 * then the content.
 */
export function eligibilityChecks(
  request: EligibilityRequest,
  environment: EnvironmentDocument,
  content: ContentDocument,
): (() => Checked)[] {
  return [
    () => checkPlaybackMode(request),
    () => checkPlayerDrmSystems(request),
    () => checkEnvironmentDrmSystems(request.drmSystem, environment),
    () => checkContentType(request, content),
    () => checkPublished(content),
  ];
}

/** Refuses with `environment_suspended` if the organization is not active. */
export function checkOrganization(organization: OrganizationDocument | null): Checked {
  if (organization?.status === 'active')
    return passed('organization_status', 'organization', () => 'The organization is active.');
  const detail = `The organization is ${organization?.status ?? 'unknown'}, so its environments cannot start sessions.`;
  return refused('organization_status', 'organization', 'environment_suspended', detail);
}

/** Refuses with `subject_blocked` if the viewer is blocked. A viewer without a published document counts as active. */
export function checkViewer(viewer: EndUserDocument | null): Checked {
  if (viewer?.status !== 'blocked') return passed('viewer_status', 'end user', () => 'The viewer is not blocked.');
  return refused('viewer_status', 'end user', 'subject_blocked', 'The viewer is blocked.');
}

/** Refuses with `content_not_found` if the environment does not have the content. */
export function checkContentFound(content: ContentDocument | null): Found<ContentDocument> {
  if (content !== null) {
    return { ...passed('content_found', 'content', () => 'The content is registered.'), found: content };
  }
  return refused('content_found', 'content', 'content_not_found', 'The environment has no content with this id.');
}

/** Contract v1 supports streaming only. Refuses with `playback_mode_not_supported` for other modes. */
function checkPlaybackMode({ playbackMode = 'streaming' }: EligibilityRequest): Checked {
  if (playbackMode === 'streaming') return passed('playback_mode', 'request', () => 'The playback mode is streaming.');
  const detail = 'playbackMode must be streaming.';
  return refused('playback_mode', 'request', 'playback_mode_not_supported', detail);
}

/** Refuses with `drm_system_not_supported` if the player names its DRM systems and this is not one of them. */
function checkPlayerDrmSystems({ drmSystem, platformCapabilities }: EligibilityRequest): Checked {
  const playerDrmSystems = platformCapabilities?.drmSystems ?? null;
  if (playerDrmSystems === null)
    return passed('player_drm_systems', 'request', () => 'The player does not name its DRM systems.');
  if (playerDrmSystems.includes(drmSystem))
    return passed('player_drm_systems', 'request', () => `The player supports ${drmSystem}.`);
  const detail = `${drmSystem} is not in platformCapabilities.drmSystems.`;
  return refused('player_drm_systems', 'request', 'drm_system_not_supported', detail);
}

/** Refuses with `drm_system_not_supported` if the environment does not enable the DRM system. */
export function checkEnvironmentDrmSystems(
  drmSystem: EligibilityRequest['drmSystem'],
  environment: EnvironmentDocument,
): Checked {
  if (environment.drmSystems.some((system) => system.drmSystem === drmSystem && system.enabled)) {
    return passed('environment_drm_systems', 'environment', () => `${drmSystem} is enabled.`);
  }
  const detail = `${drmSystem} is not enabled in this environment.`;
  return refused('environment_drm_systems', 'environment', 'drm_system_not_supported', detail);
}

/** Why content of kind `document` never plays. */
export const noSessionsForDocuments = 'Contract v1 has no playback sessions for documents.';

/** Refuses with `content_type_mismatch`. Audio plays as `vod`; documents cannot be played. */
function checkContentType({ contentType }: EligibilityRequest, { kind }: ContentDocument): Checked {
  const registered = () => `The content is registered as ${kind}`;
  const mismatch = (detail: string) => refused('content_type', 'content', 'content_type_mismatch', detail);
  switch (kind) {
    case 'audio':
      if (contentType === 'vod') return passed('content_type', 'content', () => `${registered()}, which plays as vod.`);
      return mismatch(`${registered()}, which plays as vod, not as ${contentType}.`);
    case 'document':
      return mismatch(`${registered()}. ${noSessionsForDocuments}`);
    default:
      if (contentType === kind) return passed('content_type', 'content', () => `${registered()}.`);
      return mismatch(`${registered()}, not as ${contentType}.`);
  }
}

/** Refuses with `content_not_published` for a draft. */
export function checkPublished({ status }: ContentDocument): Checked {
  if (status === 'published') return passed('content_published', 'content', () => 'The content is published.');
  return refused('content_published', 'content', 'content_not_published', 'The content is a draft.');
}
