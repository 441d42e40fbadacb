import { searchRun } from '../secrets/search-run';

/** The suites selected by jest's arguments. */
interface RunOptions {
  nonFlagArgs: string[];
  testPathPatterns: { patterns: string[] };
  testNamePattern?: string;
  onlyChanged: boolean;
  onlyFailures: boolean;
  shard?: object;
}

/**
 * After all suites: stops what the global setup started and searches the files of the run for every secret that it used. A secret in
 * plain text sets the exit code of the run; throwing an error would prevent jest from reporting its counts. Jest requires a
 * default export.
 */
export default async function globalTeardown(options: RunOptions): Promise<void> {
  const environment = globalThis.testEnvironment;
  if (environment === undefined) return;
  try {
    await environment.stop();
    const { findings, summary } = searchRun(environment.folder, isWholeRun(options));
    process.stderr.write(`${findings.length === 0 ? summary : findings.join('\n')}\n`);
    if (findings.length > 0) process.exitCode = 1;
  } finally {
    await environment.remove();
  }
}

function isWholeRun(options: RunOptions): boolean {
  const { nonFlagArgs, testPathPatterns, testNamePattern, onlyChanged, onlyFailures, shard } = options;
  const chosen = [...nonFlagArgs, ...testPathPatterns.patterns];
  return chosen.length === 0 && !testNamePattern && !onlyChanged && !onlyFailures && shard === undefined;
}
