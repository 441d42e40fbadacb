import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the dependency answers, to `full` where it takes no new data; rejects otherwise. */
export type ReadinessCheck = () => Promise<unknown>;

interface ReadinessReport {
  status: 'ready' | 'not_ready';
  checks: Record<string, { status: 'up' | 'full' | 'down'; latencyMilliseconds: number }>;
}

/**
 * Liveness, which depends on nothing, and readiness: every dependency answers within the bound, and no shutdown began. A
 * full one serves what is there already, so it is no reason to send requests elsewhere.
 */
export class Health {
  private readonly startedAt: number;
  private shuttingDown = false;

  constructor(
    private readonly options: {
      service: string;
      version: string;
      checks: Record<string, ReadinessCheck>;
      /** Bound of each check, in milliseconds. */
      timeoutMilliseconds?: number;
      now?: () => number;
    },
  ) {
    this.startedAt = this.now();
  }

  liveness() {
    const { service, version } = this.options;
    return {
      status: 'live' as const,
      service,
      version,
      uptimeSeconds: Math.floor((this.now() - this.startedAt) / 1000),
    };
  }

  async readiness(): Promise<ReadinessReport> {
    const checks = Object.fromEntries(
      await Promise.all(
        Object.entries(this.options.checks).map(async ([name, check]) => [name, await this.run(check)] as const),
      ),
    );
    const serves = Object.values(checks).every(({ status }) => status !== 'down');
    return { status: serves && !this.shuttingDown ? 'ready' : 'not_ready', checks };
  }

  /** From here on readiness says no, so that load balancers send nobody here any more. */
  beginShutdown(): void {
    this.shuttingDown = true;
  }

  private async run(check: ReadinessCheck) {
    const startedAt = this.now();
    const bound = new AbortController();
    const timeout = delay(this.options.timeoutMilliseconds ?? 1_000, 'down' as const, { signal: bound.signal });
    // The reason of a failing check is for its own dependency's log; here it only counts that there is no answer.
    const answer = async () => {
      try {
        return (await check()) === 'full' ? ('full' as const) : ('up' as const);
      } catch {
        return 'down' as const;
      }
    };
    const status = await Promise.race([answer(), timeout]);
    bound.abort();
    return { status, latencyMilliseconds: Math.round(this.now() - startedAt) };
  }

  private now(): number {
    return (this.options.now ?? performance.now.bind(performance))();
  }
}
