import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Load } from '@multi-drm/test-kit/load/load';
import { HealthWatch } from './health-watch';
import { isOutageAnswer, unexplained, type Window } from './outcome';

/** Milliseconds of delay from which Redis commands may time out because of the machine. */
const noticeable = 150;

/**
 * Measures how long the machine delays processes during a scenario: the event loop delay of this process, and the response time of
 * liveness, which waits for nothing. Bounds are widened by it, so that a busy machine violates no guarantee. On an idle machine, it
 * is a few milliseconds.
 */
export class MachineDelay {
  private readonly watches: HealthWatch[];
  private readonly own = monitorEventLoopDelay({ resolution: 10 });

  constructor(urls: readonly string[]) {
    this.own.enable();
    this.watches = urls.map((url) => new HealthWatch(url, 'live'));
  }

  /** Resolves to the delay in milliseconds and to failures of liveness. */
  async stop(): Promise<{ slack: number; broken: string[] }> {
    await Promise.all(this.watches.map((watch) => watch.stop()));
    this.own.disable();
    const answers = this.watches.flatMap((watch) => watch.answers);
    const own = this.own.max / 1e6;
    const slack = Math.max(own, ...answers.map(({ milliseconds }) => milliseconds));
    const failed = answers.filter(({ status }) => status !== 200).length;
    return { slack, broken: failed === 0 ? [] : [`liveness failed ${failed} of ${answers.length} times`] };
  }

  /** On a machine this slow, commands may time out regardless of the fault. */
  excuses(slack: number): Window[] {
    if (slack < noticeable) return [];
    return [{ from: 0, to: Number.POSITIVE_INFINITY, allows: (answer) => isOutageAnswer(answer, slack) }];
  }
}

/** Runs while a load calls these processes. Resolves to the machine's delay, and to the failures that it does not explain. */
export async function underLoad(
  urls: readonly string[],
  load: Load,
  run: () => Promise<unknown>,
): Promise<{ slack: number; broken: string[] }> {
  const machine = new MachineDelay(urls);
  load.start();
  await run();
  await load.stop();
  const { slack, broken } = await machine.stop();
  broken.push(...unexplained(load.answers, machine.excuses(slack)));
  return { slack, broken };
}
