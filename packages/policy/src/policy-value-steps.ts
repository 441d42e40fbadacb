import { isDeepStrictEqual } from 'node:util';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { Step, ValueRule } from './decision-step';
import type { PolicyValue, Resolution, ResolvedPolicy } from './resolved-policy';

type DrmSystem = PlaybackSchemas['DrmSystem'];

/** How a value of the policy is shown. */
interface ShownValue {
  value: PolicyValue;
  rule: ValueRule;
  text: (policy: ResolvedPolicy, drmSystem: DrmSystem) => string;
}

const shownValues: ShownValue[] = [
  { value: 'maximumHeight', rule: 'maximum_height', text: ({ maximumHeight }) => `At most ${maximumHeight} lines.` },
  {
    value: 'allowedTrackTypes',
    rule: 'track_types',
    text: ({ allowedTrackTypes }) => `Allowed: ${allowedTrackTypes.join(', ')}.`,
  },
  { value: 'tracks', rule: 'track_rules', text: tracksText },
  {
    value: 'maximumConcurrentStreams',
    rule: 'stream_limit',
    text: ({ maximumConcurrentStreams: streams }) =>
      streams === null ? 'No stream limit.' : `At most ${streams} concurrent streams.`,
  },
  {
    value: 'streamCeiling',
    rule: 'stream_ceiling',
    text: ({ streamCeiling }) =>
      streamCeiling === null
        ? "The viewer's own limit is not capped."
        : `At most ${streamCeiling} concurrent streams, even if the viewer's own limit is higher.`,
  },
  {
    value: 'atStreamLimit',
    rule: 'at_stream_limit',
    text: ({ atStreamLimit }) =>
      atStreamLimit === 'reject'
        ? 'At the limit, a new session is refused (reject).'
        : 'At the limit, the oldest session ends (evict-oldest).',
  },
  {
    value: 'licenseDurationSeconds',
    rule: 'license_duration',
    text: ({ licenseDurationSeconds }) => durationText(licenseDurationSeconds),
  },
  {
    value: 'playbackDurationSeconds',
    rule: 'playback_duration',
    text: ({ playbackDurationSeconds }) => durationText(playbackDurationSeconds),
  },
  {
    value: 'availableFrom',
    rule: 'available_from',
    text: ({ availableFrom }) => (availableFrom === null ? 'Always.' : `From ${availableFrom}.`),
  },
  {
    value: 'availableUntil',
    rule: 'available_until',
    text: ({ availableUntil }) => (availableUntil === null ? 'Always.' : `Until ${availableUntil}.`),
  },
  {
    value: 'allowedClientPlatforms',
    rule: 'client_platforms',
    text: ({ allowedClientPlatforms }) => platformsText(allowedClientPlatforms),
  },
];

/** Returns a step for each value of the policy, with its source. */
export function valueSteps(resolution: Resolution, drmSystem: DrmSystem): Step[] {
  return shownValues.map((shown) => stepOfValue(shown, resolution, drmSystem));
}

/** Returns the steps for values that differ from an earlier resolution. */
export function changedValueSteps(before: Resolution, after: Resolution, drmSystem: DrmSystem): Step[] {
  return shownValues
    .filter(({ value }) => !isDeepStrictEqual(shownOf(before, value, drmSystem), shownOf(after, value, drmSystem)))
    .map((shown) => stepOfValue(shown, after, drmSystem));
}

function stepOfValue({ value, rule, text }: ShownValue, { policy, sources }: Resolution, drmSystem: DrmSystem): Step {
  return { rule, source: sources[value], outcome: 'applied', detail: text(policy, drmSystem) };
}

/** Of the tracks, only what a step shows: a change of another DRM system's rules does not count. */
function shownOf({ policy }: Resolution, value: PolicyValue, drmSystem: DrmSystem): unknown {
  return value === 'tracks' ? shownTracks(policy, drmSystem) : policy[value];
}

function shownTracks({ tracks }: ResolvedPolicy, drmSystem: DrmSystem) {
  return tracks.map((track) => ({ trackType: track.trackType, rules: Object.entries(track[drmSystem] ?? {}) }));
}

function tracksText(policy: ResolvedPolicy, drmSystem: DrmSystem): string {
  const texts = shownTracks(policy, drmSystem).map(
    ({ trackType, rules }) => `${trackType} ${rules.map(([rule, value]) => `${rule} ${value}`).join(', ')}`,
  );
  return `${drmSystem}: ${texts.join('; ')}.`;
}

function durationText(seconds: number | undefined): string {
  return seconds === undefined ? 'Not set.' : `${seconds} seconds.`;
}

function platformsText(platforms: string[] | null): string {
  if (platforms === null) return 'Any platform.';
  return platforms.length === 0 ? 'No platform.' : `Allowed: ${platforms.join(', ')}.`;
}
