import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { Step, ValueRule } from './decision-step';
import type { PolicyValue, Resolution, ResolvedPolicy, TrackRules } from './resolved-policy';

type DrmSystem = PlaybackSchemas['DrmSystem'];

const valueRules: [PolicyValue, ValueRule][] = [
  ['maximumHeight', 'maximum_height'],
  ['allowedTrackTypes', 'track_types'],
  ['tracks', 'track_rules'],
  ['maximumConcurrentStreams', 'stream_limit'],
  ['streamCeiling', 'stream_ceiling'],
  ['atStreamLimit', 'at_stream_limit'],
  ['licenseDurationSeconds', 'license_duration'],
  ['playbackDurationSeconds', 'playback_duration'],
  ['availableFrom', 'available_from'],
  ['availableUntil', 'available_until'],
  ['allowedClientPlatforms', 'client_platforms'],
];

/** Returns a step for each value of the policy, with its source. */
export function valueSteps({ policy, sources }: Resolution, drmSystem: DrmSystem): Step[] {
  const details = detailsOf(policy, drmSystem);
  return valueRules.map(([value, rule]) => ({
    rule,
    source: sources[value],
    outcome: 'applied',
    detail: details[value],
  }));
}

/** Returns the steps for values that differ from an earlier resolution. */
export function changedValueSteps(before: Resolution, after: Resolution, drmSystem: DrmSystem): Step[] {
  const earlier = valueSteps(before, drmSystem);
  return valueSteps(after, drmSystem).filter(({ detail }, index) => detail !== earlier[index]?.detail);
}

function detailsOf(policy: ResolvedPolicy, drmSystem: DrmSystem): Record<PolicyValue, string> {
  return {
    maximumHeight: `At most ${policy.maximumHeight} lines.`,
    allowedTrackTypes: `Allowed: ${policy.allowedTrackTypes.join(', ')}.`,
    tracks: `${drmSystem}: ${policy.tracks.map((track) => trackText(track, drmSystem)).join('; ')}.`,
    maximumConcurrentStreams:
      policy.maximumConcurrentStreams === null
        ? 'No stream limit.'
        : `At most ${policy.maximumConcurrentStreams} concurrent streams.`,
    streamCeiling:
      policy.streamCeiling === null
        ? "The viewer's own limit is not capped."
        : `At most ${policy.streamCeiling} concurrent streams, even if the viewer's own limit is higher.`,
    atStreamLimit:
      policy.atStreamLimit === 'reject'
        ? 'At the limit, a new session is refused (reject).'
        : 'At the limit, the oldest session ends (evict-oldest).',
    licenseDurationSeconds: durationText(policy.licenseDurationSeconds),
    playbackDurationSeconds: durationText(policy.playbackDurationSeconds),
    availableFrom: policy.availableFrom === null ? 'Always.' : `From ${policy.availableFrom}.`,
    availableUntil: policy.availableUntil === null ? 'Always.' : `Until ${policy.availableUntil}.`,
    allowedClientPlatforms: platformsText(policy.allowedClientPlatforms),
  };
}

function trackText(track: TrackRules, drmSystem: DrmSystem): string {
  const rules = Object.entries(track[drmSystem] ?? {}).map(([rule, value]) => `${rule} ${value}`);
  return `${track.trackType} ${rules.join(', ')}`;
}

function durationText(seconds: number | undefined): string {
  return seconds === undefined ? 'Not set.' : `${seconds} seconds.`;
}

function platformsText(platforms: string[] | null): string {
  if (platforms === null) return 'Any platform.';
  return platforms.length === 0 ? 'No platform.' : `Allowed: ${platforms.join(', ')}.`;
}
