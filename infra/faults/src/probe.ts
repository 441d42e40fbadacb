import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One question for liveness. */
export interface Probe {
  url: string;
  /** Milliseconds since 1970. */
  sentAt: number;
  milliseconds: number;
  /** 0: no answer. */
  status: number;
}

/**
 * Asks processes for their liveness every few milliseconds, from a process of its own, which what a scenario computes keeps from
 * nothing. Liveness waits for nothing but the thread that all requests share.
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

  /** Resolves once each process has answered what it was asked after the time. */
  async upTo(time: number): Promise<void> {
    const isAnswered = (url: string) => this.probes.findLast((probe) => probe.url === url && probe.sentAt > time);
    while (!this.urls.every(isAnswered)) await sleep(1);
  }

  /** The longest that a process took, of what was under way within the time. */
  longest(url: string, from: number, to: number): number {
    let longest = 0;
    for (let index = this.probes.length - 1; index >= 0; index -= 1) {
      const probe = this.probes[index];
      // In the order of their answers, and none takes as long as this.
      if (probe === undefined || probe.sentAt + 60_000 < from) break;
      if (probe.url !== url || probe.sentAt > to || probe.sentAt + probe.milliseconds < from) continue;
      longest = Math.max(longest, probe.milliseconds);
    }
    return longest;
  }

  /** Resolves to how many were not answered with 200. */
  async stop(): Promise<number> {
    const exit = once(this.child, 'exit');
    this.child.disconnect();
    await exit;
    return this.probes.filter(({ status }) => status !== 200).length;
  }
}
