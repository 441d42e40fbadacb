import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root folder of the repository. */
export const repositoryFolder = resolve(__dirname, '../../..');

/** Returns a command that runs the pnpm version in package.json, whether or not pnpm is installed. */
export function pnpm(...args: string[]): [string, ...string[]] {
  const { packageManager } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')) as {
    packageManager: string;
  };
  return ['npx', '-y', packageManager.split('+')[0] ?? packageManager, ...args];
}

/** Returns a command that runs a task in every package that has it; only a failing task shows its output. */
export function turbo(...tasksAndOptions: string[]): {
  command: [string, ...string[]];
  environment: NodeJS.ProcessEnv;
} {
  return {
    command: pnpm('exec', 'turbo', 'run', ...tasksAndOptions, '--output-logs=errors-only'),
    environment: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  };
}
