import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorCode } from './error-code';

/**
 * What tells a running process from a later one that was given the same id: when it started, on Linux together with the
 * id of the machine's boot. Undefined where no such process runs; one that has ended but was never waited for counts as ended.
 */
export function processIdentity(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid) : otherIdentity(pid);
}

/** Whether the process that once had this identity still runs. */
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
  // The name in parentheses may itself hold spaces and parentheses; the fields after it are counted from the last one.
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

/** Sends a signal to a process, or to a process group where the id is negative, that may have ended meanwhile. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
