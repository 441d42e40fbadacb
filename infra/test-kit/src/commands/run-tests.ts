import { runJest } from './run-jest';
import { longSuites, runSuites } from './run-suites';

/**
 * `npm test [-- jest's arguments]`, after the packages are installed: every suite but the long ones, which run only if they are named.
 * Resolves to the exit code.
 */
export function main(args: string[]): Promise<number> {
  const namesSuites = args.some((argument) => !argument.startsWith('-'));
  // Instead of the list in jest.config.js.
  const ignored = ['/node_modules/', '/dist/', longSuites].map((path) => `--testPathIgnorePatterns=${path}`);
  return runSuites((stop) => runJest(namesSuites ? args : [...ignored, ...args], stop));
}
