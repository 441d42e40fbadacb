import { join } from 'node:path';
import { runToEnd } from '@multi-drm/local/child-process';
import { repositoryFolder } from '@multi-drm/local/repository';

export interface TestCount {
  passed: number;
  /** A suite that could not run counts as one failed test. */
  failed: number;
}

/** The command that runs jest from source in the repository's folder, with these arguments; it reports in JSON. */
export const jestCommand = (...args: string[]) => ({
  command: [process.execPath, join(repositoryFolder, 'node_modules/jest/bin/jest.js'), '--json', ...args] as const,
  // Node itself loads the global setup, and must resolve workspace packages to their source too.
  environment: { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --conditions=source`.trim() },
});

/** Runs jest from source with additional arguments; its report is printed as it runs. */
export async function runJest(args: readonly string[], stop: AbortSignal): Promise<TestCount> {
  const { code, standardOutput } = await runToEnd(
    {
      name: 'jest',
      // The report goes to standard error; standard output has the counts.
      ...jestCommand(...args),
      folder: repositoryFolder,
      output: 'capture-standard-output',
    },
    stop,
  );
  const begin = standardOutput.lastIndexOf('{"num');
  // Other output, such as that of --listTests.
  process.stdout.write(begin === -1 ? standardOutput : standardOutput.slice(0, begin));
  const count = begin === -1 ? { passed: 0, failed: 0 } : countTests(standardOutput.slice(begin));
  // Jest can also fail without a failed test: if the global setup throws, or no suite matches.
  return { passed: count.passed, failed: code === 0 ? count.failed : Math.max(count.failed, 1) };
}

/** Parses the JSON result of jest. */
export function countTests(json: string): TestCount {
  const result = JSON.parse(json) as {
    numPassedTests: number;
    numFailedTests: number;
    numRuntimeErrorTestSuites: number;
  };
  return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites };
}
