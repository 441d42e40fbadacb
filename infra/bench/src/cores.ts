import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The core of the measured server; the load and the stores run on the others. */
export const serverCore = '0';
export const loadCore = availableParallelism() > 1 ? `1-${availableParallelism() - 1}` : '0';

/** The last core, which the load has to itself while several processes are measured. */
export const lastCore = String(availableParallelism() - 1);

/** The core of the measured process with this index: all but the last in turn. */
export function coreOfProcess(index: number): string {
  return String(index % Math.max(1, availableParallelism() - 1));
}

/** Binds all threads of a process to cores, where `taskset` exists (util-linux). Returns whether it is bound. */
export function pin(pid: number | undefined, cores: string): boolean {
  return pid !== undefined && spawnSync('taskset', ['-acp', cores, String(pid)]).status === 0;
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

/** Options of Node with which a process writes a CPU profile to the folder when it ends; none without a folder. */
export function profileOptions(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}
