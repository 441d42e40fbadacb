import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { Call } from './calls';
import type { HostileCommand } from './hostile-program';

/** What a hostile caller does: these calls over and over, so many under way at once. */
export interface HostileCalls {
  parallel: number;
  calls: Call[];
}

/**
 * A hostile caller in a process of its own, which what is measured does not wait for. It has the lowest priority: its
 * machine is not the one that it attacks.
 */
export class HostileProcess {
  private constructor(private readonly child: ChildProcess) {}

  static async start(calls: HostileCalls): Promise<HostileProcess> {
    const child = fork(`${__dirname}/hostile-program.ts`);
    await once(child, 'message');
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    const hostile = new HostileProcess(child);
    hostile.tell({ calls });
    return hostile;
  }

  begin(): void {
    this.tell({ begin: true });
  }

  /** Resolves, when each call has its answer, to how many had each status since it began. */
  async pause(): Promise<Record<number, number>> {
    const answered = once(this.child, 'message');
    this.tell({ begin: false });
    const [statuses] = await answered;
    return statuses;
  }

  close(): void {
    this.child.kill();
  }

  private tell(command: HostileCommand): void {
    this.child.send(command);
  }
}
