import type { EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { isServedByClearKey } from './key-systems';

type TrackPolicy = PlaybackSchemas['TrackPolicy'];
type Robustness = NonNullable<PlaybackSchemas['PlaybackSessionResponse']['drm']['robustness']>;

/**
 * Indexed by security level. Android's MediaDrm numbers the levels in this order (`SECURITY_LEVEL_SW_SECURE_CRYPTO` = 1 to
 * `SECURITY_LEVEL_HW_SECURE_ALL` = 5), as do Widevine's licenses, and Chromium accepts these names as robustness
 * (components/cdm/renderer/widevine_key_system_info.cc).
 */
const widevineLevels = [
  'SW_SECURE_CRYPTO',
  'SW_SECURE_DECODE',
  'HW_SECURE_CRYPTO',
  'HW_SECURE_DECODE',
  'HW_SECURE_ALL',
];

/**
 * The same for audio, without secure decoding, which CDMs of desktop browsers have for video only: they refuse it for audio, and
 * with it the whole configuration.
 */
const widevineAudioLevels = [
  'SW_SECURE_CRYPTO',
  'SW_SECURE_CRYPTO',
  'HW_SECURE_CRYPTO',
  'HW_SECURE_CRYPTO',
  'HW_SECURE_CRYPTO',
];

/**
 * The `robustness` that the player must request from the browser (W3C EME, `MediaKeySystemMediaCapability`) to get licenses for
 * these tracks. It is a hint: what a license requires is in the rules. Undefined if the key system has none: FairPlay and ClearKey accept
 * only the empty string, and the names that WisePlay uses for its levels are not documented.
 */
export function robustnessFor(
  drmSystem: PlaybackSchemas['DrmSystem'],
  tracks: TrackPolicy[],
  environment: EnvironmentDocument,
): Robustness | undefined {
  if (isServedByClearKey(drmSystem, environment)) return undefined;
  const robustness: Robustness = {};
  for (const { trackTypes, ...rules } of tracks) {
    for (const trackType of trackTypes) {
      const level = robustnessOf(drmSystem, trackType, rules);
      if (level === undefined) return undefined;
      robustness[trackType] = level;
    }
  }
  return robustness;
}

function robustnessOf(
  drmSystem: PlaybackSchemas['DrmSystem'],
  trackType: PlaybackSchemas['TrackType'],
  { widevine, playready }: Omit<TrackPolicy, 'trackTypes'>,
): string | undefined {
  switch (drmSystem) {
    case 'widevine':
      return widevine && (trackType === 'AUDIO' ? widevineAudioLevels : widevineLevels)[widevine.securityLevel - 1];
    case 'playready':
      // The security level itself: Chromium, components/cdm/common/playready_cdm_common.h; Microsoft's "PlayReady Encrypted
      // Media Extensions Key System Strings".
      return playready && String(playready.securityLevel);
    case 'fairplay':
    case 'wiseplay':
      return undefined;
  }
}
