import { OutboundFailure } from '@multi-drm/service-kit';

interface ConnectionGateOptions {
  /** Maximum concurrent requests. */
  maximumActive: number;
  /** Maximum waiting requests; further ones are refused. */
  maximumWaiting: number;
}

/** Limits the concurrent and the waiting requests to a server. Waiting requests proceed in order of arrival. */
export class ConnectionGate {
  private active = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: ConnectionGateOptions) {}

  /**
   * Waits for a place; resolves to a function that gives it back, to be called once. Returns undefined at once if too
   * many requests are waiting. Rejects with the `OutboundFailure` `timed_out` if the signal ends the wait.
   */
  enter(signal: AbortSignal): Promise<() => void> | undefined {
    if (this.active < this.options.maximumActive) {
      this.active += 1;
      return Promise.resolve(this.leave);
    }
    if (this.waiting.size >= this.options.maximumWaiting) return undefined;
    return new Promise((resolve, reject) => {
      const proceed = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.leave);
      };
      const giveUp = () => {
        this.waiting.delete(proceed);
        reject(new OutboundFailure('timed_out', 'not_sent'));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.add(proceed);
    });
  }

  /** Hands the place to the request that has waited longest. */
  private readonly leave = (): void => {
    const [next] = this.waiting;
    if (next === undefined) {
      this.active -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  };
}
