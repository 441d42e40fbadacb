import { runJest } from './run-jest';
import { longSuites, runSuites } from './run-suites';

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
export function main(): Promise<number> {
  const limit = `--testTimeout=${longestTest}`;
  return runSuites(async (stop) => {
    const long = await runJest([longSuites, limit], stop);
    process.env.FUZZ_RUNS = String(timesAsMany);
    const whole = await runJest([...shortened, limit], stop);
    return { passed: long.passed + whole.passed, failed: long.failed + whole.failed };
  });
}
