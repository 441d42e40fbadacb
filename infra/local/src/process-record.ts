import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, writePrivateJson } from './private-file';
import { isStillRunning, processIdentity, sendSignal } from './process-identity';

/** A started process that must be stopped by this process, or by the next one if this one is killed. */
export interface RecordedProcess {
  name: string;
  pid: number;
  identity: string;
  stopSignal: NodeJS.Signals;
}

/** How long a process may take to end after its stop signal, before it is killed. */
export const stopGraceMilliseconds = 10_000;

/** Records the running processes that this process started in a file that outlives it. */
export class ProcessRecord {
  constructor(private readonly file: string) {}

  add(entry: { name: string; pid: number; stopSignal: NodeJS.Signals }): void {
    const identity = processIdentity(entry.pid);
    // It has already ended: there is nothing to stop later.
    if (identity === undefined) return;
    writePrivateJson(this.file, [...this.entries(), { ...entry, identity }]);
  }

  remove(pid: number): void {
    writePrivateJson(
      this.file,
      this.entries().filter((entry) => entry.pid !== pid),
    );
  }

  /** Stops processes that an earlier run left running; returns their names. */
  async stopLeftovers(): Promise<string[]> {
    const leftovers = this.entries().filter((entry) => isStillRunning(entry.pid, entry.identity));
    await Promise.all(leftovers.map(stopProcess));
    writePrivateJson(this.file, []);
    return leftovers.map((entry) => entry.name);
  }

  private entries(): RecordedProcess[] {
    return (readJson(this.file) ?? []) as RecordedProcess[];
  }
}

/** Stops a process that is not a child of this one, so its end must be polled. */
async function stopProcess(entry: RecordedProcess): Promise<void> {
  sendSignal(entry.pid, entry.stopSignal);
  if (await endsWithin(entry, stopGraceMilliseconds)) return;
  sendSignal(entry.pid, 'SIGKILL');
  await endsWithin(entry, stopGraceMilliseconds);
}

async function endsWithin(entry: RecordedProcess, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (isStillRunning(entry.pid, entry.identity)) {
    if (Date.now() > deadline) return false;
    await sleep(50);
  }
  return true;
}
