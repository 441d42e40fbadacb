import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pnpm } from '@multi-drm/local/repository';

export type Command = [string, ...string[]];

/** A workspace of its own, installed only for releases. */
export const toolsFolder = join(__dirname, '../tools');

/** Installs the release tools, if anything is missing. */
export function installTools(): void {
  run(pnpm('install', '--frozen-lockfile', '--prefer-offline'), toolsFolder);
}

/** Returns the command of a tool, such as `publint`. */
export function tool(name: string, ...args: string[]): Command {
  return [join(toolsFolder, 'node_modules/.bin', name), ...args];
}

/** Returns the command of a script beside the tools. */
export function script(name: string, ...args: string[]): Command {
  return [process.execPath, join(toolsFolder, name), ...args];
}

/** Runs a command to its end; `output` is all that it printed. */
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
