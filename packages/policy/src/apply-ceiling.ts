import { isDeepStrictEqual } from 'node:util';
import type { LicenseProfileDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { hasVideo, missingRules, type PolicyError, repeatedTrackType, rulesByTrackType } from './allowed-tracks';
import { type Found, passed, refused } from './decision-step';
import { profileSource } from './policy-layer';
import type { PolicyValue, Resolution, ResolvedPolicy, TrackRules } from './resolved-policy';
import { strictestRules } from './strictest-rules';
import { beginsWithin, type TrackTypeHeights } from './track-heights';

interface CeilingContext {
  drmSystem: PlaybackSchemas['DrmSystem'];
  trackTypeHeights: TrackTypeHeights;
}

/** The values that a ceiling bounds here. `narrow` handles its availability window and platforms. */
const boundedValues = [
  'maximumHeight',
  'allowedTrackTypes',
  'tracks',
  'maximumConcurrentStreams',
  'streamCeiling',
  'atStreamLimit',
  'licenseDurationSeconds',
  'playbackDurationSeconds',
] as const satisfies PolicyValue[];

/**
 * Applies the license profile of a content asset to a resolution: the strictest of each value; `reject` is stricter than
 * `evict-oldest`. If the profile changes a value, it becomes the value's source. Refuses with `license_policy_invalid` if nothing
 * playable is left.
 */
export function applyCeiling(
  resolution: Resolution,
  ceiling: LicenseProfileDocument,
  context: CeilingContext,
): Found<Resolution> {
  const { policy } = resolution;
  const source = profileSource(ceiling.name);
  const tracks = boundedTracks(policy, ceiling, context);
  const error =
    repeatedTrackType(ceiling.tracks) ?? nothingUsable(policy, tracks) ?? missingRules(tracks, context.drmSystem);
  if (error !== null) {
    const detail = `${error.field} of the content's license profile "${ceiling.name}" ${error.reason}.`;
    return refused('content_ceiling', source, 'license_policy_invalid', detail);
  }
  const bounded: ResolvedPolicy = {
    ...policy,
    maximumHeight: Math.min(policy.maximumHeight, ceiling.maximumHeight),
    allowedTrackTypes: tracks.map(({ trackType }) => trackType),
    tracks,
    ...boundedRights(policy, ceiling.rights),
  };
  const sources = { ...resolution.sources };
  for (const value of boundedValues) {
    if (!isDeepStrictEqual(bounded[value], policy[value])) sources[value] = source;
  }
  return {
    ...passed('content_ceiling', source, () => 'The strictest of each value applies.'),
    found: { ...resolution, policy: bounded, sources },
  };
}

/** The tracks that both allow within both maximum heights, each with the stricter rules. */
function boundedTracks(policy: ResolvedPolicy, ceiling: LicenseProfileDocument, context: CeilingContext): TrackRules[] {
  const allowed = new Map(rulesByTrackType(ceiling.tracks).map((rules) => [rules.trackType, rules]));
  const tracks: TrackRules[] = [];
  for (const { trackType, ...rules } of policy.tracks) {
    const ceilingRules = allowed.get(trackType);
    if (ceilingRules === undefined) continue;
    if (!beginsWithin(trackType, ceiling.maximumHeight, context.trackTypeHeights)) continue;
    tracks.push({ trackType, ...strictestRules(rules, ceilingRules) });
  }
  return tracks;
}

function nothingUsable(policy: ResolvedPolicy, tracks: TrackRules[]): PolicyError | null {
  if (tracks.length > 0 && (hasVideo(tracks) || !hasVideo(policy.tracks))) return null;
  return { field: 'tracks', reason: `allows no usable track type of ${policy.allowedTrackTypes.join(', ')}` };
}

type BoundedRights = Pick<
  ResolvedPolicy,
  'maximumConcurrentStreams' | 'streamCeiling' | 'atStreamLimit' | 'licenseDurationSeconds' | 'playbackDurationSeconds'
>;

function boundedRights(policy: ResolvedPolicy, rights: LicenseProfileDocument['rights']): Partial<BoundedRights> {
  if (rights === null) return {};
  const licenseDurationSeconds = lower(policy.licenseDurationSeconds, rights.licenseDurationSeconds);
  const playbackDurationSeconds = lower(policy.playbackDurationSeconds, rights.playbackDurationSeconds);
  return {
    maximumConcurrentStreams: lower(policy.maximumConcurrentStreams, rights.maximumConcurrentStreams),
    streamCeiling: rights.maximumConcurrentStreams,
    atStreamLimit: rights.atStreamLimit === 'reject' ? 'reject' : policy.atStreamLimit,
    ...(licenseDurationSeconds === null ? {} : { licenseDurationSeconds }),
    ...(playbackDurationSeconds === null ? {} : { playbackDurationSeconds }),
  };
}

/** The lower of two bounds; null if there is none. */
export function lower(one: number | null | undefined, other: number | null | undefined): number | null {
  if (one == null || other == null) return one ?? other ?? null;
  return Math.min(one, other);
}
