import { FailureLog, type Logger } from '@multi-drm/service-kit';
import type { RequestEvent } from '@multi-drm/slots';
import { mergeEvents } from './merge-events';

/** Milliseconds between two flushes. */
const interval = 250;

/** How many events are kept until the next flush. */
const maximumKept = 5_000;

interface RecorderOptions {
  /** Leaves the events for the reader; null if none are reported. */
  append: ((events: RequestEvent[]) => Promise<void>) | null;
  /** Estimates the time of Redis. */
  redisNow: () => Date;
  /** Called with the number of events that are lost. */
  onLost: (count: number) => void;
  logger: Logger;
  /** Monotonic milliseconds. */
  processNow: () => number;
  /** Resolves after some milliseconds, or as soon as the signal is aborted. */
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * What became of requests: kept in memory, and reported after their responses, four times a second. No answer waits for it or fails with
 * it, so what is recorded may be lost: if the process is killed, if there is too much of it, or if Redis cannot take it.
 */
export class RequestEventRecorder {
  private readonly stopping = new AbortController();
  private recorded: RequestEvent[] = [];
  private running: Promise<void> | undefined;
  private readonly failures: FailureLog;

  constructor(private readonly options: RecorderOptions) {
    this.failures = new FailureLog(options);
  }

  /** Records an event that happens now. */
  record(event: Omit<RequestEvent, 'at' | 'count'>): void {
    if (this.options.append === null) return;
    if (this.recorded.length < maximumKept) {
      this.recorded.push({ at: this.options.redisNow().getTime(), count: 1, ...event });
    } else {
      this.options.onLost(1);
    }
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves once everything that was recorded is reported. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Reports what was recorded. Never rejects. */
  async flush(): Promise<void> {
    const { append, onLost } = this.options;
    const events = this.recorded;
    if (append === null || events.length === 0) return;
    this.recorded = [];
    try {
      await append(mergeEvents(events));
    } catch (error) {
      onLost(events.length);
      this.failures.note('refusals and license requests cannot be reported', error);
    }
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.options.pause(interval, signal);
      await this.flush();
    }
  }
}
