import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isOutageAnswer, type Window } from './outcome';
import { Watch } from './watch';

/** With less than this left of a command's time-out by the machine itself, Redis seems away now and then. */
const noticeable = 150;

/**
 * How long the machine keeps processes waiting during a scenario: the delay of this very process, and how long liveness,
 * which waits for nothing, takes. Bounds are widened by it, so that a busy machine breaks no promise; on an idle one it is a
 * few milliseconds.
 */
export class MachineDelay {
  private readonly watches: Watch[];
  private readonly own = monitorEventLoopDelay({ resolution: 10 });

  constructor(urls: readonly string[]) {
    this.own.enable();
    this.watches = urls.map((url) => new Watch(url, 'live'));
  }

  /** Resolves to the delay in milliseconds, and to what was wrong with liveness. */
  async stop(): Promise<{ slack: number; broken: string[] }> {
    await Promise.all(this.watches.map((watch) => watch.stop()));
    this.own.disable();
    const answers = this.watches.flatMap((watch) => watch.answers);
    const own = this.own.max / 1e6;
    const slack = Math.max(own, ...answers.map(({ milliseconds }) => milliseconds));
    const failed = answers.filter(({ status }) => status !== 200).length;
    return { slack, broken: failed === 0 ? [] : [`liveness failed ${failed} of ${answers.length} times`] };
  }

  /** A machine that is that slow makes commands time out whatever the fault. */
  excuses(slack: number): Window[] {
    if (slack < noticeable) return [];
    return [{ from: 0, to: Number.POSITIVE_INFINITY, allows: (answer) => isOutageAnswer(answer, slack) }];
  }
}
