import { beginsWithin, type EnvironmentDocument, type PlaybackSchemas } from '@multi-drm/contracts';
import { hasVideo, type PolicyError, requireRules, rulesByTrackType } from './allowed-tracks';
import { narrow, restrictionOf } from './availability';
import { Refusal, type Source } from './decision-step';
import type { Layer, LayerPolicy } from './policy-layer';
import type { Resolution } from './resolved-policy';
import type { SelectedLayers } from './select-layers';

export type { ResolvedPolicy, TrackRules } from './resolved-policy';

interface ResolveContext {
  drmSystem: PlaybackSchemas['DrmSystem'];
  environment: Pick<EnvironmentDocument, 'settings'>;
  /** The content has no video: only the policy's AUDIO rules count, and there must be some. */
  audioOnly: boolean;
}

/**
 * Merges the selected policy over the default, by top-level member; `tracks` is replaced as a whole, so that a track type never mixes
 * the rules of two policies. Availability windows and platforms are intersected. The stream limit is the policy's, or else the
 * environment's.
 *
 * Throws a Refusal with `license_policy_invalid` that names the field.
 */
export function resolveLayers(
  { selected, beneath }: Pick<SelectedLayers, 'selected' | 'beneath'>,
  { drmSystem, environment: { settings }, audioOnly }: ResolveContext,
): Resolution {
  const layers = beneath === null ? [selected] : [selected, beneath];
  const lookUp = firstValueIn(layers);
  const missing = policyErrorOf(selected);
  const height = lookUp('maximumHeight');
  const trackPolicies = lookUp('tracks');
  if (height === undefined) throw missing('maximumHeight', 'is missing');
  if (trackPolicies === undefined) throw missing('tracks', 'is missing');
  const policyError = policyErrorOf(trackPolicies);
  const named = rulesByTrackType(trackPolicies.value, policyError);
  const tracks = named.filter(({ trackType }) =>
    audioOnly ? trackType === 'AUDIO' : beginsWithin(trackType, height.value, settings.trackTypeHeights),
  );
  if (named.length === 0) throw policyError('tracks', 'names no track type');
  if (audioOnly && tracks.length === 0)
    throw policyError('tracks', 'has no rules for AUDIO, the only track type of the content');
  if (!audioOnly && hasVideo(named) && !hasVideo(tracks)) {
    throw policyErrorOf(height)('maximumHeight', `(${height.value}) is below every video track type of the policy`);
  }
  requireRules(tracks, drmSystem, policyError);

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
  return layers.map(({ source, policy }) => restrictionOf(source, policy)).reduce(narrow, resolution);
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

/** Creates errors that name the layer. */
function policyErrorOf({ source, template }: Pick<Layer, 'source' | 'template'>): PolicyError {
  return (field, reason) => {
    const where = template === null ? `licensePolicy.${field}` : `${field} of the policy "${template}"`;
    return new Refusal('policy_rules', source, 'license_policy_invalid', `${where} ${reason}.`);
  };
}
