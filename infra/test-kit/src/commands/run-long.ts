import { installChromium } from '@multi-drm/local/chromium-program';
import { findOrInstallRedis } from '@multi-drm/local/redis-program';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printFailure, printLine } from '@multi-drm/local/terminal-output';
import { generateCode } from './generate-code';
import { longSuites } from './long-suites';
import { runJest } from './run-jest';

/** The suites in which `npm test` tries some variants of a claim, or tries it a few times. */
const shortened = [
  'access/access-matrix.test.ts',
  'records/optional-if-match.test.ts',
  'control-plane/src/main.test.ts',
];

/** The factor by which the shortened suites, and those that fuzz, try more than in `npm test`. */
export const timesAsMany = 10;

/** The time limit of one test in milliseconds, in case it hangs. */
export const longestTest = 600_000;

/**
 * `npm run long`, after the packages are installed: the suites that are too long for `npm test`, and all that `npm test` shortens. Resolves
 * to the exit code.
 */
export async function main(): Promise<number> {
  const stop = watchForStop();
  try {
    if (!process.env.REDIS_URL) await findOrInstallRedis(stop);
    await installChromium(stop);
    await generateCode(stop);
    const limit = `--testTimeout=${longestTest}`;
    const long = await runJest([longSuites, limit], stop);
    process.env.FUZZ_RUNS = String(timesAsMany);
    const whole = await runJest([...shortened, limit], stop);
    const failed = long.failed + whole.failed;
    printLine(`${long.passed + whole.passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    printFailure(error);
    printLine('0 passed, 1 failed');
    return 1;
  }
}
