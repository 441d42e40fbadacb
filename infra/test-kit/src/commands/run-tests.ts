import { installChromium } from '@multi-drm/local/chromium-program';
import { findOrInstallRedis } from '@multi-drm/local/redis-program';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printFailure, printLine } from '@multi-drm/local/terminal-output';
import { generateCode } from './generate-code';
import { longSuites } from './long-suites';
import { runJest } from './run-jest';

/**
 * `npm test [-- jest's arguments]`, after the packages are installed: every suite but the long ones, which run only if they are named.
 * Resolves to the exit code.
 */
export async function main(args: string[]): Promise<number> {
  const stop = watchForStop();
  try {
    if (!process.env.REDIS_URL) await findOrInstallRedis(stop);
    await installChromium(stop);
    await generateCode(stop);
    const namesSuites = args.some((argument) => !argument.startsWith('-'));
    // Instead of the list in jest.config.js.
    const ignored = ['/node_modules/', '/dist/', longSuites].map((path) => `--testPathIgnorePatterns=${path}`);
    const { passed, failed } = await runJest(namesSuites ? args : [...ignored, ...args], stop);
    printLine(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    printFailure(error);
    printLine('0 passed, 1 failed');
    return 1;
  }
}
