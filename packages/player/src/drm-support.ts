import type { PlaybackSession } from './session';

/** A DRM system of Contract v1 that browsers have. */
export type BrowserDrmSystem = 'fairplay' | 'playready' | 'widevine' | 'wiseplay';

/** The `robustness` to request from the browser; empty if the browser decides. */
export interface Robustness {
  audioRobustness: string;
  videoRobustness: string;
}

/** The part of `navigator` that is used. Pages that are not served over https, and some web views, do not have it. */
export interface Eme {
  requestMediaKeySystemAccess?: (keySystem: string, configurations: object[]) => Promise<unknown>;
}

const keySystems: Record<BrowserDrmSystem, string> = {
  fairplay: 'com.apple.fps',
  playready: 'com.microsoft.playready.recommendation',
  widevine: 'com.widevine.alpha',
  wiseplay: 'com.huawei.wiseplay',
};
const videoType = 'video/mp4; codecs="avc1.4d401e"';
const audioType = 'audio/mp4; codecs="mp4a.40.2"';
const thisNavigator = (): Eme => Reflect.get(globalThis, 'navigator') ?? {};

/** Resolves to the best DRM system of this browser; to undefined if it has none, or if the page is not served over https. */
export async function findDrmSystem(eme: Eme = thisNavigator()): Promise<BrowserDrmSystem | undefined> {
  for (const [drmSystem, keySystem] of Object.entries(keySystems) as [BrowserDrmSystem, string][]) {
    const initDataTypes = drmSystem === 'fairplay' ? ['sinf', 'skd', 'cenc'] : ['cenc'];
    const configuration = { initDataTypes, videoCapabilities: [{ contentType: videoType }] };
    if (await supports(eme, keySystem, configuration)) return drmSystem;
  }
  return undefined;
}

/** Resolves to the best video robustness that the session's policy names and the device supports, and to the audio robustness. */
export async function findRobustness(
  { drm }: Pick<PlaybackSession, 'drm'>,
  eme: Eme = thisNavigator(),
): Promise<Robustness> {
  const { AUDIO: audioRobustness = '', UHD2, UHD1, HD, SD } = drm.robustness ?? {};
  const audioCapabilities = [{ contentType: audioType, robustness: audioRobustness }];
  for (const videoRobustness of [UHD2, UHD1, HD, SD]) {
    if (videoRobustness === undefined) continue;
    const videoCapabilities = [{ contentType: videoType, robustness: videoRobustness }];
    const configuration = { initDataTypes: ['cenc'], audioCapabilities, videoCapabilities };
    if (await supports(eme, drm.keySystems[0] ?? '', configuration)) return { audioRobustness, videoRobustness };
  }
  return { audioRobustness: '', videoRobustness: '' };
}

async function supports(eme: Eme, keySystem: string, configuration: object): Promise<boolean> {
  try {
    return (await eme.requestMediaKeySystemAccess?.(keySystem, [configuration])) !== undefined;
  } catch {
    return false; // NotSupportedError
  }
}
