import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { HostileCalls, HostileCommand } from './hostile-process';

/**
 * A hostile caller in a separate process, so that it does not delay the measurement. It has low priority, because a real attacker does
 * not run on the attacked machine.
 */
export class HostileCaller {
  private constructor(private readonly child: ChildProcess) {}

  static async start(calls: HostileCalls): Promise<HostileCaller> {
    const child = fork(`${__dirname}/hostile-process.ts`);
    await once(child, 'message');
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    const hostile = new HostileCaller(child);
    hostile.send({ calls });
    return hostile;
  }

  begin(): void {
    this.send({ begin: true });
  }

  /** Resolves when every call has its response, to the number of responses by status since `begin`. */
  async pause(): Promise<Record<number, number>> {
    const answered = once(this.child, 'message');
    this.send({ begin: false });
    const [statuses] = await answered;
    return statuses;
  }

  close(): void {
    this.child.kill();
  }

  private send(command: HostileCommand): void {
    this.child.send(command);
  }
}
