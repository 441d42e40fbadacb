import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root folder of the repository. */
export const repositoryFolder = resolve(__dirname, '../../..');

/** A program with its arguments, and its environment. */
interface ToolCommand {
  command: [string, ...string[]];
  environment: NodeJS.ProcessEnv;
}

/** Returns a command that runs the pnpm version in package.json, whether or not pnpm is installed. */
export function pnpm(...args: string[]): [string, ...string[]] {
  return pnpmOf(repositoryFolder, ...args);
}

function pnpmOf(checkout: string, ...args: string[]): [string, ...string[]] {
  const { packageManager } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    packageManager: string;
  };
  return ['npx', '-y', packageManager.split('+')[0] ?? packageManager, ...args];
}

/** Returns a command that runs a task in every package that has it; only a failing task shows its output. */
export function turbo(...tasksAndOptions: string[]): ToolCommand {
  return turboOf(repositoryFolder, ...tasksAndOptions);
}

/** The same for another checkout, whose pnpm may have another version. The command must run in its root folder. */
export function turboOf(checkout: string, ...tasksAndOptions: string[]): ToolCommand {
  return {
    command: pnpmOf(checkout, 'exec', 'turbo', 'run', ...tasksAndOptions, '--output-logs=errors-only'),
    environment: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  };
}
