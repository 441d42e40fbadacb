import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the full path of a program on the PATH, or undefined if there is none. */
export function findExecutable(name: string, path = process.env.PATH ?? ''): string | undefined {
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const file = join(folder, name);
    if (isExecutable(file)) return file;
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Absent, a dangling link or not permitted: this folder does not have the program.
    return false;
  }
}
