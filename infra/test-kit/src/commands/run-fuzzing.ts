import { randomInt } from 'node:crypto';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printLine } from '@multi-drm/local/terminal-output';
import { generateCode } from './generate-code';
import { runJest } from './run-jest';

/** The factor by which a round sends more requests than `npm test`. */
const timesAsMany = 10;

/** The suites in which `npm test` tries some variants of a claim, or tries it a few times. */
const shortened = [
  'access/access-matrix.test.ts',
  'records/optional-if-match.test.ts',
  'control-plane/src/main.test.ts',
  'e2e/usable-at-once.test.ts',
  'e2e/crash.test.ts',
];

/** The time limit of one operation in milliseconds, in case it hangs. */
const longestOperation = 600_000;

/**
 * `npm run fuzz [-- MINUTES]`, after the packages are installed: tries once what `npm test` shortens, and the costliest requests. Then it
 * fuzzes every operation of both services with new seeds, in rounds, until the minutes (10) are over or a round finds something. Resolves
 * to the exit code.
 */
export async function main([argument = '10']: string[]): Promise<number> {
  const minutes = Number(argument);
  if (!(minutes > 0)) {
    printLine(`${argument} is not a number of minutes.`);
    return 1;
  }
  const stop = watchForStop();
  const end = Date.now() + minutes * 60_000;
  process.env.FUZZ_RUNS = String(timesAsMany);
  await generateCode(stop);
  const limit = `--testTimeout=${longestOperation}`;
  const whole = await runJest([...shortened, limit], stop);
  const worst = await runJest(['/src/fuzz.test.ts', '--testNamePattern', 'worst', limit], stop);
  if (whole.failed + worst.failed > 0) return 1;
  do {
    const seed = randomInt(2 ** 31);
    process.env.FUZZ_SEED = String(seed);
    printLine(`\nSeed ${seed}: FUZZ_SEED=${seed} FUZZ_RUNS=${timesAsMany} npm test -- src/fuzz.test.ts repeats it.`);
    const named = ['--testNamePattern', 'as documented|any bytes'];
    const { failed } = await runJest(['/src/fuzz.test.ts', ...named, limit], stop);
    if (failed > 0) {
      printLine('Found something. Its seeds are in infra/test-kit/src/fuzzing/found: commit them with the fix.');
      return 1;
    }
  } while (Date.now() < end);
  return 0;
}
