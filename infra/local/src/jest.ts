import { join } from 'node:path';
import { runToEnd } from './child-process';
import { repositoryFolder } from './repository';

export interface TestCount {
  passed: number;
  /** A suite that could not run counts as one failed test. */
  failed: number;
}

/** Runs jest, from source, with more of its arguments; its report goes to the reader as it comes. */
export async function runJest(args: readonly string[], stop: AbortSignal): Promise<TestCount> {
  const { code, standardOutput } = await runToEnd(
    {
      name: 'jest',
      // The report goes to standard error, so that standard output holds the counts.
      command: [process.execPath, join(repositoryFolder, 'node_modules/jest/bin/jest.js'), '--json', ...args],
      folder: repositoryFolder,
      // The global setup is loaded by Node itself, which then resolves workspace packages to their source too.
      environment: { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --conditions=source`.trim() },
      output: 'capture-standard-output',
    },
    stop,
  );
  const begin = standardOutput.lastIndexOf('{"num');
  // What else was written there, such as the answer to --listTests.
  process.stdout.write(begin === -1 ? standardOutput : standardOutput.slice(0, begin));
  const count = begin === -1 ? { passed: 0, failed: 0 } : countTests(standardOutput.slice(begin));
  // Jest also fails for reasons that no test shows: a global setup that threw, no suite that matches.
  return { passed: count.passed, failed: code === 0 ? count.failed : Math.max(count.failed, 1) };
}

/** Reads the result that jest writes as JSON. */
export function countTests(json: string): TestCount {
  const result = JSON.parse(json) as {
    numPassedTests: number;
    numFailedTests: number;
    numRuntimeErrorTestSuites: number;
  };
  return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites };
}
