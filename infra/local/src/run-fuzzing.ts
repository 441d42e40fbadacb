import { randomInt } from 'node:crypto';
import { runJest } from './jest';
import { say, sayFailure } from './message';
import { watchForStop } from './stop-request';

/** How many requests a round sends an operation for each that `npm test` sends. */
const timesAsMany = 5;

/** Of one operation, in milliseconds: a bound for what hangs. */
const longestOperation = 600_000;

/**
 * `npm run fuzz [-- MINUTES]`, once the packages are installed: asks every operation of both services what no round has asked
 * before, round after round until the minutes (10) are over, or a round has found something. Resolves to the exit code.
 */
export async function main(): Promise<number> {
  const minutes = Number(process.argv[2] ?? 10);
  if (!(minutes > 0)) {
    say(`${process.argv[2]} is no number of minutes.`);
    return 1;
  }
  const stop = watchForStop();
  const end = Date.now() + minutes * 60_000;
  process.env.FUZZ_RUNS = String(timesAsMany);
  try {
    do {
      const seed = randomInt(2 ** 31);
      process.env.FUZZ_SEED = String(seed);
      say(`\nSeed ${seed}: FUZZ_SEED=${seed} FUZZ_RUNS=${timesAsMany} npm test -- src/fuzz.test.ts asks the same.`);
      const named = ['--testNamePattern', 'whatever'];
      const { failed } = await runJest(['/src/fuzz.test.ts', ...named, `--testTimeout=${longestOperation}`], stop);
      if (failed > 0) {
        say(
          'Found something. Its seeds are kept in infra/local/src/testing/fuzzing/found: commit them with what mends it.',
        );
        return 1;
      }
    } while (Date.now() < end);
    return 0;
  } catch (error) {
    sayFailure(error);
    return 1;
  }
}
