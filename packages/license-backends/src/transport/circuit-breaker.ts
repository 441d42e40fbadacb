interface CircuitBreakerOptions {
  /** Failures in a row, from 1, after which nothing is asked for a while. */
  failuresToOpen: number;
  /** For how long. */
  openMilliseconds: number;
  /** Milliseconds on a clock that never goes back. */
  now: () => number;
}

/** What became of a request that was let through; exactly one of the three is to be called. */
export interface Attempt {
  succeeded(): void;
  failed(): void;
  /** Says nothing about the server. */
  undecided(): void;
}

/**
 * Keeps requests from a server that fails (M. Nygard, Release It!, "Circuit Breaker"): closed, all go through; open,
 * none; after a while a single one probes, and the next state is what becomes of it. Outcomes of requests that were let
 * through before the state last changed count for nothing.
 */
export class CircuitBreaker {
  private failures = 0;
  private openedAt: number | undefined;
  private isProbing = false;
  /** Counts the changes of state. */
  private era = 0;

  constructor(private readonly options: CircuitBreakerOptions) {}

  /** Lets a request through, or says by undefined that it is not to be sent. */
  enter(): Attempt | undefined {
    if (this.refuses()) return undefined;
    const isProbe = this.openedAt !== undefined;
    this.isProbing = isProbe;
    const { era } = this;
    const counted = (outcome: () => void) => () => {
      if (era === this.era) outcome();
    };
    return {
      succeeded: counted(() => (isProbe ? this.change(undefined) : this.forget())),
      failed: counted(() => this.fail(isProbe)),
      undecided: counted(() => {
        this.isProbing = false;
      }),
    };
  }

  /** Whether `enter` would let nothing through now. */
  refuses(): boolean {
    return this.openedAt !== undefined && (this.isProbing || this.remainingMilliseconds() > 0);
  }

  /** How long until the next probe; 0 where it is due or the circuit is closed. */
  remainingMilliseconds(): number {
    if (this.openedAt === undefined) return 0;
    return Math.max(0, this.openedAt + this.options.openMilliseconds - this.options.now());
  }

  private forget(): void {
    this.failures = 0;
  }

  private fail(isProbe: boolean): void {
    this.failures += 1;
    if (isProbe || this.failures >= this.options.failuresToOpen) this.change(this.options.now());
  }

  private change(openedAt: number | undefined): void {
    this.openedAt = openedAt;
    this.isProbing = false;
    this.failures = 0;
    this.era += 1;
  }
}
