import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { DrmRules } from './strictest-rules';

type LicensePolicy = PlaybackSchemas['LicensePolicy'];
type BuiltInPolicy = Required<Pick<LicensePolicy, 'maximumHeight' | 'tracks'>>;

/** Software security, no output protection. */
const software = {
  widevine: { securityLevel: 1, hdcp: 'none' },
  playready: { securityLevel: 2000, outputProtection: 'none' },
  fairplay: { hdcp: 'none' },
  wiseplay: { securityLevel: 1, outputControl: 0 },
} as const satisfies DrmRules;

/** Software security, HDCP of any version. */
const softwareHdcp = {
  widevine: { securityLevel: 1, hdcp: '1.0' },
  playready: { securityLevel: 2000, outputProtection: 'hdcp' },
  fairplay: { hdcp: 'type0' },
  wiseplay: { securityLevel: 1, outputControl: 1 },
} as const satisfies DrmRules;

/** Hardware security for Widevine and WisePlay, HDCP of any version. */
const hardwareHdcp = {
  widevine: { securityLevel: 3, hdcp: '1.0' },
  playready: { securityLevel: 2000, outputProtection: 'hdcp' },
  fairplay: { hdcp: 'type0' },
  wiseplay: { securityLevel: 2, outputControl: 1 },
} as const satisfies DrmRules;

/** Hardware security for all systems, HDCP 2.2. */
const hardwareHdcp22 = {
  widevine: { securityLevel: 5, hdcp: '2.2' },
  playready: { securityLevel: 3000, outputProtection: 'hdcp-type1' },
  fairplay: { hdcp: 'type1' },
  wiseplay: { securityLevel: 2, outputControl: 2 },
} as const satisfies DrmRules;

/** The same for audio, which browsers do not decode securely: hardware security for its keys only. */
const audioHardwareHdcp22 = {
  ...hardwareHdcp22,
  widevine: { securityLevel: 3, hdcp: '2.2' },
} as const satisfies DrmRules;

/** The policies of the built-in templates by name, in the order in which the control plane's capabilities list them. */
export const builtInTemplates: ReadonlyMap<string, BuiltInPolicy> = new Map<string, BuiltInPolicy>([
  // One key for all tracks, or one for audio and one for video.
  ['single-software', { maximumHeight: 1080, tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], ...software }] }],
  ['single-hdcp', { maximumHeight: 1080, tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], ...softwareHdcp }] }],
  [
    'single-hardware',
    {
      maximumHeight: 2160,
      tracks: [
        { trackTypes: ['AUDIO'], ...audioHardwareHdcp22 },
        { trackTypes: ['SD', 'HD', 'UHD1'], ...hardwareHdcp22 },
      ],
    },
  ],
  // One key per quality.
  [
    'multi-tier-standard',
    {
      maximumHeight: 2160,
      tracks: [
        { trackTypes: ['AUDIO', 'SD'], ...software },
        { trackTypes: ['HD'], ...hardwareHdcp },
        { trackTypes: ['UHD1'], ...hardwareHdcp22 },
      ],
    },
  ],
]);

/** Returns the policy of a built-in template; undefined for any other name. */
export function findBuiltInTemplate(name: string): LicensePolicy | undefined {
  return builtInTemplates.get(name);
}
