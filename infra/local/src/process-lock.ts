import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { errorCode } from './error-code';
import { writePrivateJson } from './private-file';
import { isStillRunning, processIdentity } from './process-identity';
import { ReadableFailure } from './terminal-output';

/** The process that holds a lock. */
interface Holder {
  pid: number;
  /** See {@link processIdentity}: a process id that was reused does not hold the lock. */
  identity: string;
}

/**
 * Takes a lock file for this process, also from a holder that has ended, and returns the function that releases it. Throws a
 * {@link ReadableFailure} with the holder's description if another running process holds it.
 */
export function takeLock(file: string, describeHolder: (pid: number) => string): () => void {
  const own: Holder = { pid: process.pid, identity: processIdentity(process.pid) ?? 'unknown' };
  const prepared = `${file}.${randomBytes(6).toString('hex')}`;
  writePrivateJson(prepared, own);
  try {
    // Ends after a few iterations: a process that loses the race for a stale lock finds a running holder next time.
    while (!link(prepared, file)) {
      const holder = readHolder(file);
      if (holder === undefined) continue;
      if (isStillRunning(holder.pid, holder.identity)) throw new ReadableFailure(describeHolder(holder.pid));
      removeStale(file, holder);
    }
  } finally {
    rmSync(prepared, { force: true });
  }
  return () => {
    if (readHolder(file)?.identity === own.identity) rmSync(file, { force: true });
  };
}

/** Links instead of creating, so that the lock file appears with its content or not at all. */
function link(existing: string, file: string): boolean {
  try {
    linkSync(existing, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder> | null;
    return { pid: Number(holder?.pid ?? 0), identity: String(holder?.identity) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return { pid: 0, identity: 'unreadable' };
    throw error;
  }
}

/** Renames the lock before removing it, so that only one of two processes that found it stale removes it. */
function removeStale(file: string, expected: Holder): void {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if (readHolder(aside)?.identity !== expected.identity) link(aside, file);
  rmSync(aside, { force: true });
}
