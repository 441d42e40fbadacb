import { type PlaybackSchemas, type TrackType, trackTypes } from '@multi-drm/contracts';
import type { TrackRules } from './resolved-policy';

type DrmSystem = PlaybackSchemas['DrmSystem'];

/** Makes the error for a field of a policy that is not usable. */
export type Fault = (field: string, fault: string) => Error;

/** The rules of each track type that a policy names, in the fixed order. Throws where one is named twice. */
export function rulesByTrackType(tracks: PlaybackSchemas['TrackPolicy'][], fault: Fault): TrackRules[] {
  const rules = new Map<TrackType, TrackRules>();
  for (const [index, track] of tracks.entries()) {
    const { trackTypes: named, ...drmRules } = track;
    for (const trackType of named) {
      if (rules.has(trackType)) throw fault(`tracks[${index}].trackTypes`, `names ${trackType} a second time`);
      rules.set(trackType, { trackType, ...drmRules });
    }
  }
  return trackTypes.flatMap((trackType) => rules.get(trackType) ?? []);
}

export function hasVideo(tracks: TrackRules[]): boolean {
  return tracks.some(({ trackType }) => trackType !== 'AUDIO');
}

/** Without rules a license would be the weakest there is, so silence is no permission: throws for such a track. */
export function requireRules(tracks: TrackRules[], drmSystem: DrmSystem, fault: Fault): void {
  const unruled = tracks.find((track) => track[drmSystem] === undefined);
  if (unruled !== undefined) throw fault('tracks', `has no ${drmSystem} rules for ${unruled.trackType}`);
}
