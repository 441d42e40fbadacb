import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from '@multi-drm/test-kit/load/calls';

/** Polls the liveness or readiness of a process. */
export class HealthWatch {
  readonly answers: Answer[] = [];
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly baseUrl: string,
    private readonly operation: 'live' | 'ready',
    private readonly everyMilliseconds = 200,
  ) {
    this.running = this.run();
  }

  /** The status of the latest response; 0 if there is none. */
  get status(): number {
    return this.answers.at(-1)?.status ?? 0;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const { operation, baseUrl } = this;
      this.answers.push(await send({ operation, method: 'GET', baseUrl, path: `/api/v1/health/${operation}` }));
      await sleep(this.everyMilliseconds);
    }
  }
}
