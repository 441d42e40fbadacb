import { findDrmSystem, findRobustness } from './drm-support';

interface Configuration {
  videoCapabilities: [{ robustness?: string }];
}

/** A browser with these key systems and their robustness levels for video. */
const browserWith = (keySystems: Record<string, string[]>) => ({
  requestMediaKeySystemAccess: async (keySystem: string, configurations: object[]) => {
    const [{ videoCapabilities }] = configurations as [Configuration];
    const { robustness = '' } = videoCapabilities[0];
    const levels = keySystems[keySystem];
    if (levels === undefined || (robustness !== '' && !levels.includes(robustness)))
      throw new Error('NotSupportedError');
    return {};
  },
});

test.each([
  ['fairplay', ['com.apple.fps']],
  ['playready', ['com.widevine.alpha', 'com.microsoft.playready.recommendation']],
  ['widevine', ['com.widevine.alpha', 'org.w3.clearkey']],
  ['wiseplay', ['com.huawei.wiseplay']],
  [undefined, ['org.w3.clearkey']],
])('%s is the DRM system of a browser with %p', async (drmSystem, keySystems) => {
  expect(await findDrmSystem(browserWith(Object.fromEntries(keySystems.map((name) => [name, []]))))).toBe(drmSystem);
});

test.each([
  ['the best', ['SW_SECURE_CRYPTO', 'HW_SECURE_ALL'], 'HW_SECURE_ALL'],
  ['a lesser one', ['SW_SECURE_CRYPTO'], 'SW_SECURE_CRYPTO'],
  ['none', [], ''],
])('a player requests the robustness that the device has: %s', async (_, levels, videoRobustness) => {
  const robustness = { AUDIO: 'SW_SECURE_CRYPTO', SD: 'SW_SECURE_CRYPTO', HD: 'HW_SECURE_ALL' };
  const drm = { keySystems: ['com.widevine.alpha'], robustness, licenseServerUrl: '', drmLicenseToken: '' };
  const audioRobustness = videoRobustness === '' ? '' : 'SW_SECURE_CRYPTO';
  expect(await findRobustness({ drm }, browserWith({ 'com.widevine.alpha': levels }))).toEqual({
    audioRobustness,
    videoRobustness,
  });
});

test('a page without EME has no DRM system and requests no robustness', async () => {
  const drm = { keySystems: ['com.widevine.alpha'], robustness: { SD: 'SW_SECURE_CRYPTO' } };
  expect(await findDrmSystem({})).toBeUndefined();
  expect(await findRobustness({ drm: { ...drm, licenseServerUrl: '', drmLicenseToken: '' } }, {})).toEqual({
    audioRobustness: '',
    videoRobustness: '',
  });
});
