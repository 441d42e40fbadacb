import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorCode } from './error-code';

/**
 * Distinguishes a running process from a later one with the same id: its start time, on Linux together with the boot id. Undefined if
 * there is no such process; a zombie counts as ended.
 */
export function processIdentity(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid) : otherIdentity(pid);
}

/** Whether the process with this identity is still running. */
export function isStillRunning(pid: number, identity: string): boolean {
  return processIdentity(pid) === identity;
}

function linuxIdentity(pid: number): string | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name in parentheses may contain spaces and parentheses, so the fields are counted from the last parenthesis.
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${startTicks}`;
}

function otherIdentity(pid: number): string | undefined {
  const result = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state, ...started] = result.stdout.trim().split(/\s+/);
  if (result.status !== 0 || state === undefined || state.startsWith('Z')) return undefined;
  return started.join(' ');
}

/** Sends a signal to a process, or to a process group if the id is negative. It may have ended in the meantime. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
