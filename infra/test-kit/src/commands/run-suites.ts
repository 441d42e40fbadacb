import { installChromium } from '@multi-drm/local/chromium-program';
import { findOrInstallRedis } from '@multi-drm/local/redis-program';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printFailure, printLine } from '@multi-drm/local/terminal-output';
import { generateCode } from './generate-code';
import type { TestCount } from './run-jest';

/** The suites that only `npm run long` runs, unless they are named: a pattern of their paths. */
export const longSuites = '\\.long\\.test\\.ts$';

/** Prepares what suites need, runs them and prints the count as the last line. Resolves to the exit code. */
export async function runSuites(run: (stop: AbortSignal) => Promise<TestCount>): Promise<number> {
  const stop = watchForStop();
  try {
    if (!process.env.REDIS_URL) await findOrInstallRedis(stop);
    await installChromium(stop);
    await generateCode(stop);
    const { passed, failed } = await run(stop);
    printLine(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    printFailure(error);
    printLine('0 passed, 1 failed');
    return 1;
  }
}
