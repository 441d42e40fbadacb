import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { errorCode } from './error-code';
import { ReadableFailure } from './message';
import { writePrivateJson } from './private-file';
import { isStillRunning, processIdentity } from './process-identity';

/** Who holds a lock. */
interface Holder {
  pid: number;
  /** See {@link processIdentity}: an id that another process has by now is no lock. */
  identity: string;
}

/**
 * Takes a lock file for this process, also from a holder that has ended, and returns the function that gives it back.
 * Throws a {@link ReadableFailure} that says what to do where another running process holds it.
 */
export function takeLock(file: string, describeHolder: (pid: number) => string): () => void {
  const own: Holder = { pid: process.pid, identity: processIdentity(process.pid) ?? 'unknown' };
  const prepared = `${file}.${randomBytes(6).toString('hex')}`;
  writePrivateJson(prepared, own);
  try {
    // A stale lock is removed at most a few times: whoever loses the race for it meets a living holder on the next turn.
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

/** Links instead of creating: the lock appears with its text or not at all. */
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

/** Moves the lock aside before it is removed, so that of two processes that found it stale one alone removes it. */
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
