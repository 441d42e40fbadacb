import { existsSync, readdirSync } from 'node:fs';
import { canInstallWithApt, installWithApt } from './apt-get';
import { printLine, ReadableFailure } from './terminal-output';

/** Returns the path of libfaketime, and installs it if it is missing and this is root on Debian. */
export async function findOrInstallFaketime(stop: AbortSignal): Promise<string> {
  const found = findFaketime();
  if (found !== undefined) return found;
  if (canInstallWithApt()) {
    printLine('libfaketime is not installed: installing it with apt-get install libfaketime');
    await installWithApt('libfaketime', stop);
  }
  const installed = findFaketime();
  if (installed === undefined)
    throw new ReadableFailure('libfaketime is missing. On Debian: sudo apt-get install libfaketime');
  return installed;
}

/** Debian has it in the folder of the machine's architecture. */
function findFaketime(): string | undefined {
  if (!existsSync('/usr/lib')) return undefined;
  return readdirSync('/usr/lib')
    .map((folder) => `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path));
}
