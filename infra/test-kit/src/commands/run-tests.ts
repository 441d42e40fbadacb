import { installChromium } from '@multi-drm/local/chromium-program';
import { findOrInstallRedis } from '@multi-drm/local/redis-program';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printFailure, printLine } from '@multi-drm/local/terminal-output';
import { generateCode } from './generate-code';
import { runJest } from './run-jest';

/** `npm test [-- jest's arguments]`, after the packages are installed; resolves to the exit code. */
export async function main(args: string[]): Promise<number> {
  const stop = watchForStop();
  try {
    if (!process.env.REDIS_URL) await findOrInstallRedis(stop);
    await installChromium(stop);
    await generateCode(stop);
    const { passed, failed } = await runJest(args, stop);
    printLine(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    printFailure(error);
    printLine('0 passed, 1 failed');
    return 1;
  }
}
