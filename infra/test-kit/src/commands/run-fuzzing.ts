import { randomInt } from 'node:crypto';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printLine } from '@multi-drm/local/terminal-output';
import { generateCode } from './generate-code';
import { runJest } from './run-jest';
import { longestTest, timesAsMany } from './run-long';

/**
 * `npm run fuzz [-- MINUTES]`, after the packages are installed: fuzzes every operation of both services with new seeds, in rounds, until
 * the minutes (10) are over or a round finds something. Resolves to the exit code.
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
  do {
    const seed = randomInt(2 ** 31);
    process.env.FUZZ_SEED = String(seed);
    printLine(
      `\nSeed ${seed}: FUZZ_SEED=${seed} FUZZ_RUNS=${timesAsMany} npm test -- src/fuzz.long.test.ts repeats it.`,
    );
    const named = ['--testNamePattern', 'as documented|any bytes', `--testTimeout=${longestTest}`];
    const { failed } = await runJest(['/src/fuzz.long.test.ts', ...named], stop);
    if (failed > 0) {
      printLine('Found something. Its seeds are in infra/test-kit/src/fuzzing/found: commit them with the fix.');
      return 1;
    }
  } while (Date.now() < end);
  return 0;
}
