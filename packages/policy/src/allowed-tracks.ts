import { type PlaybackSchemas, trackTypes } from '@multi-drm/contracts';
import type { TrackRules } from './resolved-policy';
import { beginsWithin, type TrackType, type TrackTypeHeights } from './track-heights';

type DrmSystem = PlaybackSchemas['DrmSystem'];
type TrackPolicy = PlaybackSchemas['TrackPolicy'];

/** Why a policy cannot be used. */
export interface PolicyError {
  field: string;
  reason: string;
}

/** The rules of each track type that a policy names, in the fixed order. */
export function rulesByTrackType(tracks: TrackPolicy[]): TrackRules[] {
  const rules = new Map<TrackType, TrackRules>();
  for (const { trackTypes: named, ...drmRules } of tracks) {
    for (const trackType of named) rules.set(trackType, { trackType, ...drmRules });
  }
  return trackTypes.flatMap((trackType) => rules.get(trackType) ?? []);
}

/** Which of the tracks may play: of audio content only AUDIO, otherwise those that begin within the maximum height. */
export function playableTracks(
  tracks: TrackRules[],
  { audioOnly, maximumHeight, heights }: { audioOnly: boolean; maximumHeight: number; heights: TrackTypeHeights },
): TrackRules[] {
  return tracks.filter(({ trackType }) =>
    audioOnly ? trackType === 'AUDIO' : beginsWithin(trackType, maximumHeight, heights),
  );
}

/** Audio content has nothing else to play than AUDIO. */
export function missingAudio(playable: TrackRules[], audioOnly: boolean): PolicyError | null {
  if (!audioOnly || playable.length > 0) return null;
  return { field: 'tracks', reason: 'has no rules for AUDIO, the only track type of the content' };
}

/** A track type that is named twice has two rules, of which neither is the right one. */
export function repeatedTrackType(tracks: TrackPolicy[]): PolicyError | null {
  const seen = new Set<TrackType>();
  for (const [index, track] of tracks.entries()) {
    for (const trackType of track.trackTypes) {
      if (seen.has(trackType)) return { field: `tracks[${index}].trackTypes`, reason: `repeats ${trackType}` };
      seen.add(trackType);
    }
  }
  return null;
}

export function hasVideo(tracks: TrackRules[]): boolean {
  return tracks.some(({ trackType }) => trackType !== 'AUDIO');
}

/** Each track type needs rules for the DRM system: a license without rules would have the weakest protection. */
export function missingRules(tracks: TrackRules[], drmSystem: DrmSystem): PolicyError | null {
  const withoutRules = tracks.find((track) => track[drmSystem] === undefined);
  if (withoutRules === undefined) return null;
  return { field: 'tracks', reason: `has no ${drmSystem} rules for ${withoutRules.trackType}` };
}
