import { runInNewContext } from 'node:vm';
import { guideCode } from './guide';

/** The guide's function in a browser that has some key systems alone. */
function findDrmSystem(...keySystems: string[]): Promise<string | undefined> {
  const requestMediaKeySystemAccess = async (keySystem: string) => {
    if (!keySystems.includes(keySystem)) throw new Error('NotSupportedError');
    return {};
  };
  return runInNewContext(`${guideCode('js', 'Create a session')}\nfindDrmSystem()`, {
    navigator: { requestMediaKeySystemAccess },
  });
}

test.each([
  ['fairplay', ['com.apple.fps']],
  ['playready', ['com.widevine.alpha', 'com.microsoft.playready.recommendation']],
  ['widevine', ['com.widevine.alpha', 'org.w3.clearkey']],
  ['wiseplay', ['com.huawei.wiseplay']],
  [undefined, ['org.w3.clearkey']],
])('the guide chooses %s for a browser with %p', async (drmSystem, keySystems) => {
  expect(await findDrmSystem(...keySystems)).toBe(drmSystem);
});
