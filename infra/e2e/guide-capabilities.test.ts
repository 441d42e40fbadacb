import { runInNewContext } from 'node:vm';
import { codeIn } from '@multi-drm/test-kit/documents/guide';

interface Capability {
  robustness?: string;
}

/** Runs a call of the code of docs/player.md in a simulated browser with these key systems and their robustness levels for video. */
function inBrowser<Result>(heading: string, call: string, keySystems: Record<string, string[]>): Promise<Result> {
  const requestMediaKeySystemAccess = async (
    keySystem: string,
    [{ videoCapabilities }]: [{ videoCapabilities: [Capability] }],
  ) => {
    const [{ robustness = '' }] = videoCapabilities;
    if (robustness !== '' && !keySystems[keySystem]?.includes(robustness)) throw new Error('NotSupportedError');
    if (keySystems[keySystem] === undefined) throw new Error('NotSupportedError');
    return {};
  };
  return runInNewContext(`${codeIn('player', 'js', heading)}\n${call}`, { navigator: { requestMediaKeySystemAccess } });
}

test.each([
  ['fairplay', ['com.apple.fps']],
  ['playready', ['com.widevine.alpha', 'com.microsoft.playready.recommendation']],
  ['widevine', ['com.widevine.alpha', 'org.w3.clearkey']],
  ['wiseplay', ['com.huawei.wiseplay']],
  [undefined, ['org.w3.clearkey']],
])('the documented code chooses %s for a browser with %p', async (drmSystem, keySystems) => {
  const browser = Object.fromEntries(keySystems.map((keySystem) => [keySystem, []]));
  expect(await inBrowser('Choose the DRM system', 'findDrmSystem()', browser)).toBe(drmSystem);
});

test.each([
  ['the best', ['SW_SECURE_CRYPTO', 'HW_SECURE_ALL'], 'HW_SECURE_ALL'],
  ['a lesser one', ['SW_SECURE_CRYPTO'], 'SW_SECURE_CRYPTO'],
  ['none', [], ''],
])('a player requests the robustness that the device has: %s', async (_, levels, videoRobustness) => {
  const robustness = { AUDIO: 'SW_SECURE_CRYPTO', SD: 'SW_SECURE_CRYPTO', HD: 'HW_SECURE_ALL' };
  const session = { drm: { keySystems: ['com.widevine.alpha'], robustness } };
  const call = `findRobustness(${JSON.stringify(session)})`;
  const audioRobustness = videoRobustness === '' ? '' : 'SW_SECURE_CRYPTO';
  expect(await inBrowser('Four players', call, { 'com.widevine.alpha': levels })).toEqual({
    audioRobustness,
    videoRobustness,
  });
});
