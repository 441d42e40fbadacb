import type { EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import {
  hasVideo,
  missingAudio,
  missingRules,
  type PolicyError,
  playableTracks,
  repeatedTrackType,
  rulesByTrackType,
} from './allowed-tracks';
import { narrow, restrictionOf } from './availability';
import { type Found, passed, type RefusedRule, refused, type Source } from './decision-step';
import type { Layer, LayerPolicy } from './policy-layer';
import type { Resolution, TrackRules } from './resolved-policy';
import type { SelectedLayers } from './select-layers';

interface ResolveContext {
  drmSystem: PlaybackSchemas['DrmSystem'];
  environment: Pick<EnvironmentDocument, 'settings'>;
  /** The content has no video: only the policy's AUDIO rules count, and there must be some. */
  audioOnly: boolean;
}

/**
 * Merges the selected policy over the default, by top-level member; `tracks` is replaced as a whole, so that a track type never mixes
 * the rules of two policies. Availability windows and platforms are intersected. The stream limit is the policy's, or else the
 * environment's. Refuses with `license_policy_invalid`, naming the field.
 */
export function resolveLayers(
  { selected, beneath }: Pick<SelectedLayers, 'selected' | 'beneath'>,
  { drmSystem, environment: { settings }, audioOnly }: ResolveContext,
): Found<Resolution> {
  const layers = beneath === null ? [selected] : [selected, beneath];
  const lookUp = firstValueIn(layers);
  const height = lookUp('maximumHeight');
  const trackPolicies = lookUp('tracks');
  if (height === undefined) return unusable(selected, { field: 'maximumHeight', reason: 'is missing' });
  if (trackPolicies === undefined) return unusable(selected, { field: 'tracks', reason: 'is missing' });
  const named = rulesByTrackType(trackPolicies.value);
  const heights = settings.trackTypeHeights;
  const tracks = playableTracks(named, { audioOnly, maximumHeight: height.value, heights });
  const empty = repeatedTrackType(trackPolicies.value) ?? nothingNamed(named) ?? missingAudio(tracks, audioOnly);
  if (empty !== null) return unusable(trackPolicies, empty);
  if (!audioOnly && hasVideo(named) && !hasVideo(tracks)) {
    const reason = `(${height.value}) is below every video track type of the policy`;
    return unusable(height, { field: 'maximumHeight', reason });
  }
  const error = missingRules(tracks, drmSystem);
  if (error !== null) return unusable(trackPolicies, error);

  const streams = lookUp('maximumConcurrentStreams');
  const atStreamLimit = lookUp('atStreamLimit');
  const licenseDuration = lookUp('licenseDurationSeconds');
  const playbackDuration = lookUp('playbackDurationSeconds');
  const unset: Source = 'service default';
  const resolution: Resolution = {
    policy: {
      template: selected.template,
      licenseProfileId: selected.policy.licenseProfileId ?? null,
      maximumHeight: height.value,
      allowedTrackTypes: tracks.map(({ trackType }) => trackType),
      tracks,
      maximumConcurrentStreams: streams?.value ?? settings.maximumConcurrentStreams,
      streamCeiling: null,
      atStreamLimit: atStreamLimit?.value ?? 'reject',
      ...(licenseDuration === undefined ? {} : { licenseDurationSeconds: licenseDuration.value }),
      ...(playbackDuration === undefined ? {} : { playbackDurationSeconds: playbackDuration.value }),
      availableFrom: null,
      availableUntil: null,
      allowedClientPlatforms: null,
    },
    sources: {
      maximumHeight: height.source,
      allowedTrackTypes: trackPolicies.source,
      tracks: trackPolicies.source,
      maximumConcurrentStreams: streams?.source ?? 'environment',
      streamCeiling: unset,
      atStreamLimit: atStreamLimit?.source ?? unset,
      licenseDurationSeconds: licenseDuration?.source ?? unset,
      playbackDurationSeconds: playbackDuration?.source ?? unset,
      availableFrom: unset,
      availableUntil: unset,
      allowedClientPlatforms: unset,
    },
    restrictions: [],
  };
  const found = layers.map(({ source, policy }) => restrictionOf(source, policy)).reduce(narrow, resolution);
  return { ...passed('policy_rules', selected.source, () => 'The policy is usable.'), found };
}

/** Returns a lookup of a member's value in the first layer that sets it. */
function firstValueIn(layers: Layer[]) {
  return <Member extends keyof LayerPolicy>(member: Member) => {
    for (const { source, template, policy } of layers) {
      const value = policy[member];
      if (value !== undefined) return { value, source, template };
    }
    return undefined;
  };
}

function nothingNamed(named: TrackRules[]): PolicyError | null {
  return named.length > 0 ? null : { field: 'tracks', reason: 'names no track type' };
}

/** The refusal names the layer and its field. */
function unusable(
  { source, template }: Pick<Layer, 'source' | 'template'>,
  { field, reason }: PolicyError,
): RefusedRule {
  const where = template === null ? `licensePolicy.${field}` : `${field} of the policy "${template}"`;
  return refused('policy_rules', source, 'license_policy_invalid', `${where} ${reason}.`);
}
