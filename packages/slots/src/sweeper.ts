import { bucketsOfDeployment, type SubjectBuckets } from '@multi-drm/contracts';
import { FailureLog, isRedisFull, type Logger, portions } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';
import type { EventBuffer } from './events/event-buffer';
import { ExpiredSessions } from './expired-sessions';
import type { RedisClock } from './redis-clock';

/** Milliseconds between two rounds of a process. */
const interval = 1_000;

/**
 * Milliseconds for which a group of buckets belongs to the process that claimed it; shorter than the interval, so that each round can
 * claim it.
 */
const claimMilliseconds = 900;

/** How many buckets one claim covers. */
const bucketsOfGroup = 64;

const notRemoved = 'expired sessions cannot be removed';
const notMeasured = 'unread events cannot be measured';

const allBuckets = Array.from({ length: bucketsOfDeployment }, (_, bucket) => bucket);
const groups = portions(allBuckets, bucketsOfGroup);

interface SweeperOptions {
  client: Redis | Cluster;
  clock: RedisClock;
  sessionIdRetentionSeconds: number;
  eventBuffer: Pick<EventBuffer, 'bytesOfBucket' | 'measure' | 'refresh'>;
  /** Resolves to the published buckets of viewers; null if no published document can be used. */
  buckets: () => Promise<SubjectBuckets | null>;
  logger: Logger;
  /** A number from 0 up to 1. */
  random: () => number;
  /** Monotonic milliseconds. */
  processNow: () => number;
  /** Resolves after some milliseconds, or as soon as the signal is aborted. */
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sweeps expired sessions once a second for as long as it runs. All processes together sweep each group of buckets about once a second: a
 * process claims one group after the other, and skips those that another process has claimed within the last second. The sweeper also
 * measures the lists of events in these buckets.
 */
export class Sweeper {
  private readonly stopping = new AbortController();
  private readonly expired: ExpiredSessions;
  private running: Promise<void> | undefined;
  private readonly failures: FailureLog;

  constructor(private readonly options: SweeperOptions) {
    this.failures = new FailureLog(options);
    const eventBytes = options.eventBuffer.bytesOfBucket;
    const onFailure = (error: unknown) => this.failures.note(notRemoved, error);
    this.expired = new ExpiredSessions({ ...options, eventBytes, onFailure });
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves once the current group is swept. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.sweepOnce();
      await this.options.pause(interval, signal);
    }
  }

  /** Starts at a random group, so that processes seldom work on the same group. */
  private async sweepOnce(): Promise<void> {
    const { eventBuffer } = this.options;
    await this.try(() => eventBuffer.refresh(), notMeasured);
    const buckets = await this.currentBuckets();
    if (buckets === null) return;
    const first = Math.floor(this.options.random() * groups.length);
    for (const [index] of groups.entries()) {
      if (this.stopping.signal.aborted) return;
      const group = (first + index) % groups.length;
      if (!(await this.claim(group))) continue;
      const swept = groups[group] ?? [];
      await this.expired.sweep(swept, buckets);
      await this.try(() => eventBuffer.measure(group, swept), notMeasured);
    }
  }

  private async currentBuckets(): Promise<SubjectBuckets | null> {
    return (await this.try(this.options.buckets)) ?? null;
  }

  private async try<Result>(part: () => Promise<Result>, failure = notRemoved): Promise<Result | undefined> {
    try {
      return await part();
    } catch (error) {
      // The next round finds the same sessions and lists.
      this.failures.note(failure, error);
      return undefined;
    }
  }

  /** Claims a group for the next second. A full Redis cannot store the claim; sweeping it twice is harmless, and frees memory. */
  private async claim(group: number): Promise<boolean> {
    try {
      return (await this.options.client.set(`sweep:${group}`, '1', 'PX', claimMilliseconds, 'NX')) === 'OK';
    } catch (error) {
      if (isRedisFull(error)) return true;
      this.failures.note(notRemoved, error);
      return false;
    }
  }
}
