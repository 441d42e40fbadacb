import { type ControlPlaneSchemas, keySystems, trackTypes } from '@multi-drm/contracts';
import { builtInTemplates } from '@multi-drm/policy';

type Capabilities = ControlPlaneSchemas['PlatformCapabilitiesResponse'];

/**
 * What players and packagers need to know. System ids are from the DASH-IF registry of content protection systems. Key
 * systems and encryption schemes are from the vendors' documentation (FairPlay decrypts only `cbcs`; the others both
 * schemes since 2019).
 */
export const platformCapabilities: Omit<Capabilities, 'serviceAgreement'> = {
  drmSystems: [
    {
      drmSystem: 'widevine',
      name: 'Google Widevine',
      systemId: 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
      keySystems: keySystems.widevine,
      encryptionSchemes: ['cenc', 'cbcs'],
      manifestTypes: ['dash', 'hls'],
    },
    {
      drmSystem: 'playready',
      name: 'Microsoft PlayReady',
      systemId: '9a04f079-9840-4286-ab92-e65be0885f95',
      keySystems: keySystems.playready,
      encryptionSchemes: ['cenc', 'cbcs'],
      manifestTypes: ['dash', 'hls', 'smooth'],
    },
    {
      drmSystem: 'fairplay',
      name: 'Apple FairPlay Streaming',
      systemId: '94ce86fb-07ff-4f43-adb8-93d2fa968ca2',
      keySystems: keySystems.fairplay,
      encryptionSchemes: ['cbcs'],
      manifestTypes: ['hls'],
    },
    {
      drmSystem: 'wiseplay',
      name: 'Huawei WisePlay',
      systemId: '3d5e6d35-9b9a-41e8-b843-dd3c6e72c42c',
      keySystems: keySystems.wiseplay,
      encryptionSchemes: ['cenc', 'cbcs'],
      manifestTypes: ['dash', 'hls'],
    },
  ],
  contentKinds: ['vod', 'live', 'audio', 'document'],
  contentTypes: ['vod', 'live'],
  manifestTypes: ['dash', 'hls', 'smooth'],
  trackTypes: [...trackTypes],
  clientPlatforms: [
    'web',
    'android',
    'android-tv',
    'ios',
    'tvos',
    'macos',
    'windows',
    'tizen',
    'webos',
    'roku',
    'harmonyos',
  ],
  playbackModes: ['streaming'],
  contractVersions: [1],
  policyTemplates: [...builtInTemplates.keys()],
};
