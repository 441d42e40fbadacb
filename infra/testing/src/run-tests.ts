import { runToEnd } from '@multi-drm/local/child-process';
import { installChromium } from '@multi-drm/local/chromium-program';
import { findOrInstallRedis } from '@multi-drm/local/redis-program';
import { repositoryFolder, turbo } from '@multi-drm/local/repository';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printFailure, printLine, ReadableFailure } from '@multi-drm/local/terminal-output';
import { runJest } from './jest';

/** `npm test [-- jest's arguments]`, after the packages are installed; resolves to the exit code. */
export async function main(): Promise<number> {
  const stop = watchForStop();
  try {
    if (!process.env.REDIS_URL) await findOrInstallRedis(stop);
    await installChromium(stop);
    const generate = { name: 'turbo', ...turbo('generate'), folder: repositoryFolder, output: 'inherit' } as const;
    const { code } = await runToEnd(generate, stop);
    if (code !== 0) throw new ReadableFailure('The code could not be generated; see the reason above.');
    const { passed, failed } = await runJest(process.argv.slice(2), stop);
    printLine(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    printFailure(error);
    printLine('0 passed, 1 failed');
    return 1;
  }
}
