import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../logger';

/** Resolves if the dependency answers, with `full` if it accepts no new data; rejects otherwise. */
export type ReadinessCheck = () => Promise<unknown>;

interface ReadinessReport {
  status: 'ready' | 'not_ready';
  checks: Record<string, { status: 'up' | 'full' | 'down'; latencyMilliseconds: number }>;
}

/**
 * Liveness depends on nothing. Readiness requires that every dependency answers within the timeout and that no shutdown
 * has begun. A full dependency still serves existing data, so it does not make the process unready.
 */
export class Health {
  private readonly startedAt: number;
  private shuttingDown = false;
  private running: Promise<ReadinessReport> | undefined;
  /** The names of the checks that failed last time. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly options: {
      service: string;
      version: string;
      checks: Record<string, ReadinessCheck>;
      /** Gets a warning when a check begins to fail. */
      logger?: Pick<Logger, 'warn'>;
      /** Timeout of each check, in milliseconds. */
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

  /** Probes that arrive while the dependencies are being asked share the answer: anybody may send any number of them. */
  readiness(): Promise<ReadinessReport> {
    this.running ??= this.report().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async report(): Promise<ReadinessReport> {
    const checks = Object.fromEntries(
      await Promise.all(
        Object.entries(this.options.checks).map(async ([name, check]) => [name, await this.run(name, check)] as const),
      ),
    );
    const serves = Object.values(checks).every(({ status }) => status !== 'down');
    return { status: serves && !this.shuttingDown ? 'ready' : 'not_ready', checks };
  }

  /** Makes readiness fail from now on, so that load balancers stop sending requests. */
  beginShutdown(): void {
    this.shuttingDown = true;
  }

  private async run(name: string, check: ReadinessCheck) {
    const startedAt = this.now();
    const cancellation = new AbortController();
    const milliseconds = this.options.timeoutMilliseconds ?? 1_000;
    const timeout = delay(milliseconds, new Error(`no answer within ${milliseconds} ms`), cancellation);
    const answer = async () => {
      try {
        return (await check()) === 'full' ? ('full' as const) : ('up' as const);
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
    };
    const outcome = await Promise.race([answer(), timeout]);
    cancellation.abort();
    this.noteOutcome(name, outcome);
    const status = outcome instanceof Error ? ('down' as const) : outcome;
    return { status, latencyMilliseconds: Math.round(this.now() - startedAt) };
  }

  /** Logs the reason once, not with every probe. */
  private noteOutcome(check: string, outcome: 'up' | 'full' | Error): void {
    if (!(outcome instanceof Error)) {
      this.failing.delete(check);
    } else if (!this.failing.has(check)) {
      this.failing.add(check);
      this.options.logger?.warn('a readiness check fails', { check, error: outcome });
    }
  }

  private now(): number {
    return (this.options.now ?? performance.now.bind(performance))();
  }
}
