import { searchRun } from './secrets/search-run';

/** What jest's arguments chose of the suites. */
interface RunOptions {
  nonFlagArgs: string[];
  testPathPatterns: { patterns: string[] };
  testNamePattern?: string;
  onlyChanged: boolean;
  onlyFailures: boolean;
  shard?: object;
}

/**
 * After all suites: stops what the global setup started, and searches what the run left for every secret that it made. A
 * secret in the clear fails the run by its exit code; an error would keep jest from telling its counts. Jest asks for a
 * default export.
 */
export default async function globalTeardown(options: RunOptions): Promise<void> {
  const environment = globalThis.testEnvironment;
  if (environment === undefined) return;
  try {
    await environment.stop();
    const { faults, summary } = searchRun(environment.folder, isWholeRun(options));
    process.stderr.write(`${faults.length === 0 ? summary : faults.join('\n')}\n`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await environment.remove();
  }
}

function isWholeRun(options: RunOptions): boolean {
  const { nonFlagArgs, testPathPatterns, testNamePattern, onlyChanged, onlyFailures, shard } = options;
  const chosen = [...nonFlagArgs, ...testPathPatterns.patterns];
  return chosen.length === 0 && !testNamePattern && !onlyChanged && !onlyFailures && shard === undefined;
}
