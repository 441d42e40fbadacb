import { spawnSync } from 'node:child_process';
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

/** Options of Node with which a process writes a CPU profile to the folder when it ends; none without a folder. */
export function profileOptions(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}
