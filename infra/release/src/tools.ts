import { join } from 'node:path';
import type { Command } from '@multi-drm/local/tools';

/** A workspace of its own, installed only for releases. */
export const toolsFolder = join(__dirname, '../tools');

/** Returns the command of a tool, such as `publint`. */
export function tool(name: string, ...args: string[]): Command {
  return [join(toolsFolder, 'node_modules/.bin', name), ...args];
}

/** Returns the command of a script beside the tools. */
export function script(name: string, ...args: string[]): Command {
  return [process.execPath, join(toolsFolder, name), ...args];
}
