import type { PlaybackSchemas } from '@multi-drm/contracts';

export type TrackType = PlaybackSchemas['TrackType'];

/** Every track type, in the order in which a policy names them. */
export const trackTypes = ['AUDIO', 'SD', 'HD', 'UHD1', 'UHD2'] as const satisfies TrackType[];

/** The tallest picture of each video track type, in lines; a type begins one line above the one before it. */
const trackHeights = { SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 } as const;

/** The lowest picture of each track type, in lines. Audio has no height. */
const lowestHeights: Record<TrackType, number> = {
  AUDIO: 0,
  SD: 1,
  HD: trackHeights.SD + 1,
  UHD1: trackHeights.HD + 1,
  UHD2: trackHeights.UHD1 + 1,
};

/**
 * True where a track type covers any picture up to `maximumHeight`. Keys are given by track type, so 720 lines must
 * allow HD (577 to 1080): without its key, no picture between 577 and 720 would play. Within the type, the player
 * keeps to `maximumHeight`.
 */
export function beginsWithin(trackType: TrackType, maximumHeight: number): boolean {
  return lowestHeights[trackType] <= maximumHeight;
}
