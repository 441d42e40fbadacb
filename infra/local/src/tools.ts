import { spawnSync } from 'node:child_process';
import { pnpm } from './repository';

/** A program with its arguments. */
export type Command = readonly [string, ...string[]];

/** Installs what is missing in a folder of tools, a workspace of its own that only one command needs. */
export function installTools(folder: string): void {
  run(pnpm('install', '--frozen-lockfile', '--prefer-offline'), folder);
}

/** Runs a command in a folder to its end; `output` is all that it printed. */
export function tryRun([file, ...args]: Command, folder: string): { succeeded: boolean; output: string } {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, CI: 'true', NO_COLOR: '1' },
  });
  if (error !== undefined) throw error;
  return { succeeded: status === 0, output: `${stdout}${stderr}` };
}

/** The same for a command that must succeed. Returns what it printed; throws, with that, if it fails. */
export function run(command: Command, folder: string): string {
  const { succeeded, output } = tryRun(command, folder);
  if (!succeeded) throw new Error(`failed: ${command.join(' ')}\n${output}`);
  return output;
}
