import { existsSync, readdirSync } from 'node:fs';
import { findOrInstall } from './apt-get';
import { ReadableFailure } from './terminal-output';

/** Returns the path of libfaketime, and installs it if it is missing and this is root on Debian. */
export async function findOrInstallFaketime(stop: AbortSignal): Promise<string> {
  const found = await findOrInstall(findFaketime, 'libfaketime', 'libfaketime', stop);
  if (found !== undefined) return found;
  throw new ReadableFailure('libfaketime is missing. On Debian: sudo apt-get install libfaketime');
}

/** Debian has it in the folder of the machine's architecture. */
function findFaketime(): string | undefined {
  if (!existsSync('/usr/lib')) return undefined;
  return readdirSync('/usr/lib')
    .map((folder) => `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path));
}
