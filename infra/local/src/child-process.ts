import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findExecutable } from './executable';
import { sendSignal } from './process-identity';
import { type ProcessRecord, stopGraceMilliseconds } from './process-record';
import { ReadableFailure } from './terminal-output';

export interface ChildCommand {
  /** The name shown to the user, such as `control-plane`. */
  name: string;
  /** The program and its arguments. */
  command: readonly [string, ...string[]];
  /** A program with arguments that changes the user and then executes the command. */
  launcher?: readonly string[];
  folder?: string;
  environment?: NodeJS.ProcessEnv;
  /** A file that receives standard output and standard error, or how a tool's output is shown. */
  output: { logFile: string } | 'inherit' | 'capture-standard-output';
  /** The signal that asks it to end. If the kernel supports it, it also gets this signal when this process dies. */
  stopSignal?: 'SIGTERM' | 'SIGINT';
  /** User and group to run as; default: those of this process. */
  user?: { uid: number; gid: number } | undefined;
}

export interface ChildEnd {
  /** Exit code; null if a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RunningChild {
  name: string;
  pid: number;
  process: ChildProcess;
  /** Resolves when it ends, for any reason. */
  ended: Promise<ChildEnd>;
  /** Returns how it ended; undefined while it runs. */
  end(): ChildEnd | undefined;
  /** Asks it to end, kills it if it does not, and resolves once it has ended. */
  stop(): Promise<void>;
}

/** The processes that this one started and must stop. */
export class Children {
  private readonly started: RunningChild[] = [];

  /** The record lets the next start stop leftover processes if this process is killed. */
  constructor(private readonly record: ProcessRecord) {}

  async start(command: ChildCommand): Promise<RunningChild> {
    const child = await startChild(command, this.record);
    this.started.push(child);
    return child;
  }

  /** Stops all processes, youngest first: a service before the stores that it uses. */
  async stopAll(): Promise<void> {
    for (let child = this.started.pop(); child !== undefined; child = this.started.pop()) await child.stop();
  }
}

/**
 * Starts a process in a separate process group (Ctrl-C reaches only this process, which then stops the others in order). It does not
 * outlive this one: the kernel's parent-death signal ends it, or else the next start does, from the record.
 */
async function startChild(child: ChildCommand, record?: ProcessRecord): Promise<RunningChild> {
  const stopSignal = child.stopSignal ?? 'SIGTERM';
  const [program, ...args] = [
    ...(child.launcher ?? []),
    // After the launcher, because the kernel resets the parent-death signal when the user changes.
    ...withParentDeathSignal(stopSignal),
    ...child.command,
  ] as [string, ...string[]];
  const log = typeof child.output === 'object' ? openSync(child.output.logFile, 'a', 0o600) : undefined;
  const started = spawn(program, args, {
    cwd: child.folder,
    env: child.environment ?? process.env,
    detached: true,
    stdio: standardStreams(child.output, log),
    ...child.user,
  });
  if (log !== undefined) closeSync(log);
  let end: ChildEnd | undefined;
  const ended = new Promise<ChildEnd>((resolve) => {
    started.once('exit', (code, signal) => {
      end = { code, signal };
      if (started.pid !== undefined) record?.remove(started.pid);
      resolve(end);
    });
  });
  try {
    await once(started, 'spawn');
  } catch (error) {
    throw new ReadableFailure(`${child.name} could not be started (${child.command[0]}): ${String(error)}`);
  }
  const pid = started.pid ?? 0;
  record?.add({ name: child.name, pid, stopSignal });
  const stop = async (): Promise<void> => {
    if (end !== undefined) return;
    sendSignal(pid, stopSignal);
    // A suspended process would not handle the signal.
    sendSignal(pid, 'SIGCONT');
    if (await settlesWithin(ended, stopGraceMilliseconds)) return;
    sendSignal(pid, 'SIGKILL');
    await ended;
  };
  return { name: child.name, pid, process: started, ended, end: () => end, stop };
}

export interface CommandResult {
  /** 1 if a signal ended it. */
  code: number;
  /** Empty unless captured. */
  standardOutput: string;
}

/** Runs a command to its end; `stop` ends it early. */
export async function runToEnd(child: ChildCommand, stop: AbortSignal): Promise<CommandResult> {
  stop.throwIfAborted();
  const running = await startChild(child);
  let standardOutput = '';
  running.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
    standardOutput += text;
  });
  let kill: NodeJS.Timeout | undefined;
  // Stops the whole group, because tools such as pnpm and turbo start others.
  const onStop = (): void => {
    sendSignal(-running.pid, 'SIGTERM');
    kill = setTimeout(() => sendSignal(-running.pid, 'SIGKILL'), stopGraceMilliseconds);
  };
  stop.addEventListener('abort', onStop);
  // The stop may have been requested while it started.
  if (stop.aborted) onStop();
  try {
    if (running.process.stdout !== null) await once(running.process, 'close');
    return { code: (await running.ended).code ?? 1, standardOutput };
  } finally {
    stop.removeEventListener('abort', onStop);
    clearTimeout(kill);
    stop.throwIfAborted();
  }
}

function standardStreams(output: ChildCommand['output'], log: number | undefined): StdioOptions {
  if (log !== undefined) return ['ignore', log, log];
  return output === 'inherit' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'inherit'];
}

let setpriv: string | undefined | null = null;

/** A command prefix that makes the kernel send the signal when the parent dies (Linux with util-linux); otherwise empty. */
export function withParentDeathSignal(signal: 'SIGTERM' | 'SIGINT'): string[] {
  if (setpriv === null) {
    setpriv = findExecutable('setpriv');
    const works = setpriv !== undefined && spawnSync(setpriv, ['--pdeathsig=TERM', 'true']).status === 0;
    if (!works) setpriv = undefined;
  }
  return setpriv === undefined ? [] : [setpriv, `--pdeathsig=${signal.slice(3)}`];
}

async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timeout = new AbortController();
  const elapsed = sleep(milliseconds, false, { signal: timeout.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), elapsed]);
  timeout.abort();
  return settled;
}
