import { OutboundFailure } from '@multi-drm/service-kit';

interface ConnectionGateOptions {
  /** Requests under way at once. */
  maximumActive: number;
  /** Requests that wait for one of those to end; more are refused. */
  maximumWaiting: number;
}

/** Lets a bounded number of requests to a server be under way and a bounded number wait, in the order they came. */
export class ConnectionGate {
  private active = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: ConnectionGateOptions) {}

  /**
   * Waits for a place, which is given back by the function returned, to be called once. Undefined, at once, where too many
   * wait. Rejects with the `OutboundFailure` `timed_out` when the signal ends the wait.
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

  /** Hands the place to who waits longest. */
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
