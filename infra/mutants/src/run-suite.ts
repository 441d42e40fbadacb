import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '@multi-drm/local/repository';
import { jestCommand } from '@multi-drm/test-kit/commands/run-jest';

/** `caughtBy`: the first test that failed; null if none did. `error`: no test could be run. */
export type SuiteResult = { caughtBy: string | null } | { error: string };

interface JestReport {
  numPassedTests: number;
  testResults: { message: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** Runs jest with these arguments, separated by spaces. `onStart` gets the process. */
export async function runSuite(suite: string, onStart: (pid: number) => void): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  const report = join(folder, 'report.json');
  // Without --bail: with it, jest writes no report. A mutant may leave connections open, for which jest would wait after its report.
  const options = [`--outputFile=${report}`, '--forceExit'];
  const { command, environment } = jestCommand(...options, ...suite.split(' '));
  try {
    const child = spawn(command[0], command.slice(1), {
      cwd: repositoryFolder,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onStart(child.pid ?? 0);
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const [code] = await once(child, 'close');
    return resultOf(report, code === 0, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function resultOf(file: string, passed: boolean, output: string): SuiteResult {
  let report: JestReport;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { error: `jest did not run: ${output.trim().slice(-300)}` };
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed !== undefined) return { caughtBy: failed.fullName };
  if (passed && report.numPassedTests > 0) return { caughtBy: null };
  return { error: report.testResults.find(({ message }) => message !== '')?.message ?? 'no suite matches' };
}
