import type { EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';

export type TrackType = PlaybackSchemas['TrackType'];

/** The tallest picture of each video track type in lines; a setting of the environment. */
export type TrackTypeHeights = EnvironmentDocument['settings']['trackTypeHeights'];

/**
 * Whether a track type contains pictures of up to `maximumHeight`. Keys are issued by track type, so a limit of 720
 * lines must allow HD (577 to 1080): without its key, no picture between 577 and 720 lines would play. Within the type,
 * the player enforces `maximumHeight`.
 */
export function beginsWithin(trackType: TrackType, maximumHeight: number, heights: TrackTypeHeights): boolean {
  return lowestHeight(trackType, heights) <= maximumHeight;
}

/** The lowest picture of a track type in lines: one above the tallest of the type before it. Audio has no height. */
function lowestHeight(trackType: TrackType, heights: TrackTypeHeights): number {
  switch (trackType) {
    case 'AUDIO':
      return 0;
    case 'SD':
      return 1;
    case 'HD':
      return heights.SD + 1;
    case 'UHD1':
      return heights.HD + 1;
    case 'UHD2':
      return heights.UHD1 + 1;
  }
}
