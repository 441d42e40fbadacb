import { type PlaybackSchemas, type TrackType, trackTypes } from '@multi-drm/contracts';
import type { TrackRules } from './resolved-policy';

type DrmSystem = PlaybackSchemas['DrmSystem'];

/** Creates the error for an unusable field of a policy. */
export type PolicyError = (field: string, reason: string) => Error;

/** The rules of each track type that a policy names, in the fixed order. Throws if a track type is repeated. */
export function rulesByTrackType(tracks: PlaybackSchemas['TrackPolicy'][], policyError: PolicyError): TrackRules[] {
  const rules = new Map<TrackType, TrackRules>();
  for (const [index, track] of tracks.entries()) {
    const { trackTypes: named, ...drmRules } = track;
    for (const trackType of named) {
      if (rules.has(trackType)) throw policyError(`tracks[${index}].trackTypes`, `repeats ${trackType}`);
      rules.set(trackType, { trackType, ...drmRules });
    }
  }
  return trackTypes.flatMap((trackType) => rules.get(trackType) ?? []);
}

export function hasVideo(tracks: TrackRules[]): boolean {
  return tracks.some(({ trackType }) => trackType !== 'AUDIO');
}

/** Throws if a track type has no rules for the DRM system: a license without rules would have the weakest protection. */
export function requireRules(tracks: TrackRules[], drmSystem: DrmSystem, policyError: PolicyError): void {
  const withoutRules = tracks.find((track) => track[drmSystem] === undefined);
  if (withoutRules !== undefined)
    throw policyError('tracks', `has no ${drmSystem} rules for ${withoutRules.trackType}`);
}
