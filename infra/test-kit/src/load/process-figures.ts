import { readFileSync } from 'node:fs';

/** Mebibytes of memory that a process takes, on Linux. */
export function residentMebibytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}
