import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Mebibytes of memory that a process takes, on Linux. */
export function residentMebibytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

/** Milliseconds of processor time that the main thread of a process has taken, on Linux. That thread serves all requests. */
export function processorMilliseconds(pid: number | undefined): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1);
  return Number(nanoseconds) / 1e6;
}

const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK']).stdout ?? 100);

/** Microseconds of processor time that a process has used, user and system, of all threads (proc(5), /proc/pid/stat). */
export function cpuMicroseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain spaces. The fields after it begin with the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[14 - 3], fields[15 - 3]].map(Number);
  return (((user ?? 0) + (system ?? 0)) / ticksPerSecond) * 1_000_000;
}

/** Bytes that a process has read and written, of which almost all are those of sockets (proc(5), /proc/pid/io). */
export function transferredBytes(pid: number): number {
  const counts = readFileSync(`/proc/${pid}/io`, 'utf8').matchAll(/^[rw]char: (\d+)$/gm);
  return [...counts].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
