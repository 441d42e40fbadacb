import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMicroseconds, residentMebibytes } from '@multi-drm/test-kit/load/process-figures';
import type { ServiceOptions, ServiceProcess } from '@multi-drm/test-kit/services/service-process';

/** What a start took. */
export interface Start {
  /** Processor time of all threads, user and system, until the process is ready. */
  cpuMilliseconds: number;
  /** Resident memory a second later. */
  mebibytes: number;
}

const settleMilliseconds = 1_000;

/** Playback's public address is on this machine. */
const production = { NODE_ENV: 'production', ALLOW_INSECURE_PUBLIC_URL: 'true' };

async function figuresOf(pid: number | undefined): Promise<Start> {
  if (pid === undefined) throw new Error('the process has ended');
  const cpuMilliseconds = cpuMicroseconds(pid) / 1_000;
  await delay(settleMilliseconds);
  return { cpuMilliseconds, mebibytes: residentMebibytes(pid) };
}

/** Measures a process without a service: an empty one, or `floor.cjs`. */
export async function measureFloor(file: string): Promise<Start> {
  const child: ChildProcess = fork(join(__dirname, file), { execArgv: [] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended with ${code}`)));
  ended.catch(() => undefined); // it is stopped below
  await Promise.race([once(child, 'message'), ended]);
  const figures = await figuresOf(child.pid);
  child.kill();
  return figures;
}

/** Measures a service until its first successful readiness probe. */
export async function measureStart(make: (options: ServiceOptions) => Promise<ServiceProcess>): Promise<Start> {
  const service = await make({ environment: production });
  await service.start();
  const figures = await figuresOf(service.pid);
  await service.kill();
  return figures;
}

/** Counts the modules that a service has loaded when it is ready, in a start of its own, because counting takes time. */
export async function countModules(make: (options: ServiceOptions) => Promise<ServiceProcess>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'module-count-'));
  const file = join(folder, 'count');
  const service = await make({
    environment: { ...production, MODULE_COUNT_FILE: file },
    nodeOptions: ['--require', join(__dirname, 'count-modules.cjs')],
  });
  await service.start();
  if (service.pid !== undefined) process.kill(service.pid, 'SIGUSR2');
  while (!existsSync(file)) await delay(50);
  await delay(50); // until it is written
  await service.kill();
  const count = Number(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  return count;
}
