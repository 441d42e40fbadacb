import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One liveness request. */
export interface Probe {
  url: string;
  /** Milliseconds since 1970. */
  sentAt: number;
  milliseconds: number;
  /** 0: no response. */
  status: number;
}

/**
 * Polls the liveness of processes every few milliseconds from a separate process, which the scenario's own work does not delay. Liveness
 * waits only for the thread that all requests share.
 */
export class LivenessProbe {
  readonly probes: Probe[] = [];

  private constructor(
    private readonly child: ChildProcess,
    private readonly urls: readonly string[],
  ) {
    child.on('message', (probe) => this.probes.push(probe as Probe));
  }

  static async start(urls: readonly string[]): Promise<LivenessProbe> {
    const probe = new LivenessProbe(fork(join(__dirname, 'probe-process.ts'), urls), urls);
    await probe.upTo(Date.now());
    return probe;
  }

  /** Resolves once each process has responded to a request sent after the time. */
  async upTo(time: number): Promise<void> {
    const isAnswered = (url: string) => this.probes.findLast((probe) => probe.url === url && probe.sentAt > time);
    while (!this.urls.every(isAnswered)) await sleep(1);
  }

  /** Returns the longest response time of a process among requests pending in the interval. */
  longest(url: string, from: number, to: number): number {
    let longest = 0;
    for (let index = this.probes.length - 1; index >= 0; index -= 1) {
      const probe = this.probes[index];
      // They are ordered by response, and none takes as long as this.
      if (probe === undefined || probe.sentAt + 60_000 < from) break;
      if (probe.url !== url || probe.sentAt > to || probe.sentAt + probe.milliseconds < from) continue;
      longest = Math.max(longest, probe.milliseconds);
    }
    return longest;
  }

  /** Resolves to the number of responses other than 200. */
  async stop(): Promise<number> {
    const exit = once(this.child, 'exit');
    this.child.disconnect();
    await exit;
    return this.probes.filter(({ status }) => status !== 200).length;
  }
}
