import { readFileSync } from 'node:fs';

/** Milliseconds of processor time that the main thread of a process has taken, on Linux. That thread serves all requests. */
export function processorMilliseconds(pid: number | undefined): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1);
  return Number(nanoseconds) / 1e6;
}
