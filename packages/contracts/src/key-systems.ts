import type { PlaybackSchemas } from './types';

/** The key systems of each DRM system in browsers (W3C EME), best first. */
export const keySystems: Record<PlaybackSchemas['DrmSystem'], string[]> = {
  widevine: ['com.widevine.alpha'],
  playready: ['com.microsoft.playready.recommendation', 'com.microsoft.playready'],
  fairplay: ['com.apple.fps'],
  wiseplay: ['com.huawei.wiseplay', 'com.wiseplay.drm'],
};
