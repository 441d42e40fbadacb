import { isDeepStrictEqual } from 'node:util';
import {
  beginsWithin,
  type LicenseProfileDocument,
  type PlaybackSchemas,
  strictestRules,
  type TrackTypeHeights,
} from '@multi-drm/contracts';
import { type Fault, hasVideo, requireRules, rulesByTrackType } from './allowed-tracks';
import type { PolicyValue, Resolution, ResolvedPolicy, TrackRules } from './resolved-policy';
import { profileSource } from './stated-policy';
import { Refusal } from './step';

interface CeilingContext {
  drmSystem: PlaybackSchemas['DrmSystem'];
  trackTypeHeights: TrackTypeHeights;
}

/** The values that a ceiling bounds here; window and platforms are narrowed with those of the other profiles. */
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
 * The resolution beneath a content's own license profile: the strictest of each value. A source changes to the profile
 * where the value does.
 *
 * Throws a Refusal with `license_policy_invalid` where nothing is left that could play.
 */
export function applyCeiling(
  resolution: Resolution,
  ceiling: LicenseProfileDocument,
  context: CeilingContext,
): Resolution {
  const { policy } = resolution;
  const tracks = boundedTracks(policy, ceiling, context);
  const bounded: ResolvedPolicy = {
    ...policy,
    maximumHeight: Math.min(policy.maximumHeight, ceiling.maximumHeight),
    allowedTrackTypes: tracks.map(({ trackType }) => trackType),
    tracks,
    ...boundedRights(policy, ceiling.rights),
  };
  const sources = { ...resolution.sources };
  for (const value of boundedValues) {
    if (!isDeepStrictEqual(bounded[value], policy[value])) sources[value] = profileSource(ceiling.name);
  }
  return { ...resolution, policy: bounded, sources };
}

/** The tracks that both allow within both heights, each with the stricter rules. */
function boundedTracks(policy: ResolvedPolicy, ceiling: LicenseProfileDocument, context: CeilingContext): TrackRules[] {
  const fault = faultsOf(ceiling);
  const allowed = new Map(rulesByTrackType(ceiling.tracks, fault).map((rules) => [rules.trackType, rules]));
  const tracks: TrackRules[] = [];
  for (const { trackType, ...rules } of policy.tracks) {
    const ofCeiling = allowed.get(trackType);
    if (ofCeiling === undefined) continue;
    if (!beginsWithin(trackType, ceiling.maximumHeight, context.trackTypeHeights)) continue;
    tracks.push({ trackType, ...strictestRules(rules, ofCeiling) });
  }
  if (tracks.length === 0 || (hasVideo(policy.tracks) && !hasVideo(tracks))) {
    throw fault('tracks', `allows none of ${policy.allowedTrackTypes.join(', ')} that could be shown`);
  }
  requireRules(tracks, context.drmSystem, fault);
  return tracks;
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

/** The lower of two bounds; null where there is neither. */
export function lower(one: number | null | undefined, other: number | null | undefined): number | null {
  if (one == null || other == null) return one ?? other ?? null;
  return Math.min(one, other);
}

function faultsOf({ name }: LicenseProfileDocument): Fault {
  return (field, fault) => {
    const detail = `${field} of the content's license profile "${name}" ${fault}.`;
    return new Refusal('content_ceiling', profileSource(name), 'license_policy_invalid', detail);
  };
}
