import { beginsWithin, type EnvironmentDocument, type PlaybackSchemas } from '@multi-drm/contracts';
import { type Fault, hasVideo, requireRules, rulesByTrackType } from './allowed-tracks';
import { narrow, restrictionOf } from './availability';
import type { Resolution } from './resolved-policy';
import type { SelectedLayers } from './select-layers';
import type { Layer, StatedPolicy } from './stated-policy';
import { Refusal, type Source } from './step';

export type { ResolvedPolicy, TrackRules } from './resolved-policy';

interface ResolveContext {
  drmSystem: PlaybackSchemas['DrmSystem'];
  environment: Pick<EnvironmentDocument, 'settings'>;
  /** Content without a picture: the policy's AUDIO rules alone count, and it must have some. */
  soundAlone: boolean;
}

/**
 * Lays what is selected over the default, member by member at the top level: `tracks` as a whole, so that a track type
 * never mixes rules of two policies. Windows and platforms restrict, so that of both the intersection stands. The
 * stream limit is the policy's, else the environment's.
 *
 * Throws a Refusal with `license_policy_invalid`, which names the field.
 */
export function resolveLayers(
  { selected, beneath }: Pick<SelectedLayers, 'selected' | 'beneath'>,
  { drmSystem, environment: { settings }, soundAlone }: ResolveContext,
): Resolution {
  const layers = beneath === null ? [selected] : [selected, beneath];
  const stated = statedBy(layers);
  const missing = faultsOf(selected);
  const height = stated('maximumHeight');
  const trackPolicies = stated('tracks');
  if (height === undefined) throw missing('maximumHeight', 'is missing');
  if (trackPolicies === undefined) throw missing('tracks', 'is missing');
  const fault = faultsOf(trackPolicies);
  const named = rulesByTrackType(trackPolicies.value, fault);
  const tracks = named.filter(({ trackType }) =>
    soundAlone ? trackType === 'AUDIO' : beginsWithin(trackType, height.value, settings.trackTypeHeights),
  );
  if (named.length === 0) throw fault('tracks', 'names no track type');
  if (soundAlone && tracks.length === 0) throw fault('tracks', 'has no rules for AUDIO, all that the content has');
  if (!soundAlone && hasVideo(named) && !hasVideo(tracks)) {
    throw faultsOf(height)('maximumHeight', `(${height.value}) is below every video track type of the policy`);
  }
  requireRules(tracks, drmSystem, fault);

  const streams = stated('maximumConcurrentStreams');
  const atStreamLimit = stated('atStreamLimit');
  const licenseDuration = stated('licenseDurationSeconds');
  const playbackDuration = stated('playbackDurationSeconds');
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

/** Looks a member up in the first layer that states it. */
function statedBy(layers: Layer[]) {
  return <Member extends keyof StatedPolicy>(member: Member) => {
    for (const { source, template, policy } of layers) {
      const value = policy[member];
      if (value !== undefined) return { value, source, template };
    }
    return undefined;
  };
}

/** Faults of what a layer states, or of a layer that leaves something out. */
function faultsOf({ source, template }: Pick<Layer, 'source' | 'template'>): Fault {
  return (field, fault) => {
    const where = template === null ? `licensePolicy.${field}` : `${field} of the policy "${template}"`;
    return new Refusal('policy_rules', source, 'license_policy_invalid', `${where} ${fault}.`);
  };
}
