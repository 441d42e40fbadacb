import { type ContentDocument, type EnvironmentDocument, type PlaybackSchemas, Problem } from '@multi-drm/contracts';

type EligibilityRequest = Pick<
  PlaybackSchemas['CreatePlaybackSessionRequest'],
  'contentType' | 'drmSystem' | 'playbackMode' | 'platformCapabilities'
>;

/**
 * Checks that a request may play a content in an environment: what the request says of itself first, then what the
 * environment has, then the content. Throws the Problem of the first rule that is broken.
 */
export function checkEligibility(
  request: EligibilityRequest,
  environment: EnvironmentDocument,
  content: ContentDocument,
): void {
  checkPlaybackMode(request);
  checkDrmSystem(request, environment);
  checkContentType(request, content);
  checkPublished(content);
}

/** Contract v1 streams. Throws `playback_mode_not_supported` for any other mode. */
function checkPlaybackMode({ playbackMode = 'streaming' }: EligibilityRequest): void {
  if (playbackMode === 'streaming') return;
  throw new Problem('playback_mode_not_supported', 'playbackMode must be streaming.');
}

/** Throws `drm_system_not_supported` where the player does not name the system or the environment does not enable it. */
function checkDrmSystem(request: EligibilityRequest, environment: EnvironmentDocument): void {
  const { drmSystem, platformCapabilities } = request;
  const ofPlayer = platformCapabilities?.drmSystems ?? null;
  if (ofPlayer !== null && !ofPlayer.includes(drmSystem)) {
    throw new Problem('drm_system_not_supported', `${drmSystem} is not in platformCapabilities.drmSystems.`);
  }
  if (!environment.drmSystems.some((system) => system.drmSystem === drmSystem && system.enabled)) {
    throw new Problem('drm_system_not_supported', `${drmSystem} is not enabled in this environment.`);
  }
}

/** Throws `content_type_mismatch` for a type that was not registered; audio and documents equal no type that plays. */
function checkContentType({ contentType }: EligibilityRequest, { kind }: ContentDocument): void {
  if (contentType === kind) return;
  throw new Problem('content_type_mismatch', `The content is registered as ${kind}, not as ${contentType}.`);
}

/** Throws `content_not_published` for a draft. */
function checkPublished({ status }: ContentDocument): void {
  if (status === 'published') return;
  throw new Problem('content_not_published', 'The content is a draft.');
}
